import Foundation
import StrataDomains

/// What makes `Self` in `observe(_:options:changeHandler:)` the subclass whose property it is.
public protocol KeyPathObservable: UserDefaults {}
extension UserDefaults: KeyPathObservable {}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
  /// Which kind: ``NSKeyValueChange/setting``.
  public let kind: NSKeyValueChange
  /// The new value, where it was asked for.
  public let newValue: Value?
  /// The old value, where it was asked for.
  public let oldValue: Value?
  /// Whether the change is still to come.
  public let isPrior: Bool
}

/// Keeps an observation going; dropping it, or `invalidate`, ends it.
public final class NSKeyValueObservation: Sendable {
  private let observations: [UserDefaults.KeyObservation]

  init(_ observations: [UserDefaults.KeyObservation]) { self.observations = observations }

  /// Ends the observation: no call begins after it.
  public func invalidate() { for observation in observations { observation.cancel() } }
}

extension KeyPathObservable {
  /// Has `changeHandler` called with each change of a property that is computed from defaults.
  ///
  /// ```swift
  /// extension UserDefaults { var showsLineNumbers: Bool { bool(forKey: "ShowLineNumbers") } }
  /// let observation = defaults.observe(\.showsLineNumbers, options: [.new]) { _, change in … }
  /// ```
  ///
  /// The property is read once, to see which keys it depends on: those are observed.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let last = PropertyValue<Value>()
    let keys = KeyRecorder.record { last.value = self[keyPath: keyPath] }
    if options.contains(.initial) {
      changeHandler(
        self,
        NSKeyValueObservedChange(
          kind: .setting, newValue: options.contains(.new) ? last.value : nil, oldValue: nil,
          isPrior: false))
    }
    // Safety: key paths of properties are constants.
    nonisolated(unsafe) let path = keyPath
    let observations = keys.map { key in
      observe(key, as: Any.self) { [weak self] _ in
        guard let self else { return }
        let new = self[keyPath: path]
        let old = last.exchange(new)
        changeHandler(
          self,
          NSKeyValueObservedChange(
            kind: .setting, newValue: options.contains(.new) ? new : nil,
            oldValue: options.contains(.old) ? old : nil, isPrior: false))
      }
    }
    return NSKeyValueObservation(observations)
  }
}

/// The value that an observer was told last.
private final class PropertyValue<Value>: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var last: Value?
  private let lock = NSLock()

  var value: Value? {
    get { lock.withLock { last } }
    set { lock.withLock { last = newValue } }
  }

  func exchange(_ new: Value) -> Value? {
    lock.withLock {
      defer { last = new }
      return last
    }
  }
}
