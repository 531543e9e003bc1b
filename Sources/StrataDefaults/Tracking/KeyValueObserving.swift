public import Foundation
import StrataStorage

// What Foundation declares for key-value observing on Apple's platforms, and not on Linux: there is
// no Objective-C runtime here that could watch properties, but defaults need none.

/// A key of a change dictionary.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// A key of this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The kind of change: ``NSKeyValueChange/setting``.
  public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")
  /// The new value; `NSNull` if there is none.
  public static let newKey = NSKeyValueChangeKey(rawValue: "new")
  /// The old value; `NSNull` if there was none.
  public static let oldKey = NSKeyValueChangeKey(rawValue: "old")
  /// Never present, since values are set as a whole.
  public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")
  /// Present, and true, in notifications before a change.
  public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// The kind of a change.
public enum NSKeyValueChange: UInt, Sendable {
  /// A value was set or removed: the only kind of change that defaults have.
  case setting = 1
  /// Something was inserted.
  case insertion = 2
  /// Something was removed.
  case removal = 3
  /// Something was replaced.
  case replacement = 4
}

/// What an observer is notified of, and when.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Options with these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// The old value.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// Also notifies at once of the current value, before the method that adds the observer returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// Also notifies before a change by this process.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// A registry of observing objects, which is told by those that are deallocated.
protocol KeyValueRegistry: AnyObject, Sendable {
  func removeAll(of object: ObjectIdentifier)
}

/// The superclass of objects that observe keys of a ``UserDefaults``.
///
/// ```swift
/// final class Ruler: KeyValueObserver {
///   override func observeValue(
///     forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
///     context: UnsafeMutableRawPointer?
///   ) { … }
/// }
/// defaults.addObserver(ruler, forKeyPath: "ShowLineNumbers", options: [.new, .old], context: nil)
/// ```
open class KeyValueObserver: NSObject {
  // Safety: `registriesLock` guards these of all objects.
  private nonisolated(unsafe) var registries: [Registry] = []
  private static let registriesLock = Lock(.memory)

  private struct Registry {
    let identity: ObjectIdentifier
    weak var registrations: (any KeyValueRegistry)?
  }

  /// An object that observes nothing yet.
  public override init() {}

  deinit {
    for registry in registries { registry.registrations?.removeAll(of: ObjectIdentifier(self)) }
  }

  /// The registrations are removed with this object.
  final func didRegister(in registrations: some KeyValueRegistry) {
    Self.registriesLock.withLock {
      // By identity: a weak reference that is loaded may become the last one, under the lock.
      let identity = ObjectIdentifier(registrations)
      registries.removeAll { $0.identity == identity }
      registries.append(Registry(identity: identity, registrations: registrations))
    }
  }

  // Safety: the context is handed back as it was given, and never looked at.
  /// Called with each change of a key that this object observes; does nothing by itself.
  open func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  ) {}
}
