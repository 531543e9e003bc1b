public import Foundation
import StrataDomains
import StrataStorage

/// Makes `Self` in `observe(_:options:changeHandler:)` the subclass that has the property.
public protocol KeyPathObservable: AnyObject {}
extension UserDefaults: KeyPathObservable {}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
  /// Which kind: ``NSKeyValueChange/setting``.
  public let kind: NSKeyValueChange
  /// The new value, where it was asked for.
  public let newValue: Value?
  /// The old value, where it was asked for.
  public let oldValue: Value?
  /// Whether the change is still to come: always false, for a property.
  public let isPrior: Bool
  /// Always nil, since values are set as a whole.
  public var indexes: IndexSet? { nil }

  /// A change of a property, with the values that the options ask for.
  init(from old: Value?, to new: Value, _ options: NSKeyValueObservingOptions) {
    kind = .setting
    newValue = options.contains(.new) ? new : nil
    oldValue = options.contains(.old) ? old : nil
    isPrior = false
  }
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}

/// Keeps an observation alive; releasing it, or calling `invalidate`, ends it.
public final class NSKeyValueObservation: Sendable {
  private let cancel: @Sendable () -> Void

  init(cancel: @escaping @Sendable () -> Void) { self.cancel = cancel }

  deinit { cancel() }

  /// Ends the observation: no call begins after it.
  public func invalidate() { cancel() }
}

extension KeyPathObservable where Self: UserDefaults {
  /// Calls `changeHandler` with each change of a property that is computed from defaults.
  ///
  /// ```swift
  /// extension UserDefaults { var showsLineNumbers: Bool { bool(forKey: "ShowLineNumbers") } }
  /// let observation = defaults.observe(\.showsLineNumbers, options: [.new]) { _, change in … }
  /// ```
  ///
  /// The property is read at first and after each change, to find out which keys it depends on:
  /// these are observed. If its values can be compared, only different ones are delivered. The
  /// option `.prior` has no effect, since the next value of a property is not known before.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let property = ObservedProperty(of: self, keyPath, options, changeHandler)
    let observer = Observer([], deliversInitial: true) { property.update($0) }
    property.observer = observer
    stack.add(observer)
    let observation = UserDefaults.KeyObservation(self, observer)
    return NSKeyValueObservation { observation.cancel() }
  }
}

/// A property whose keys are observed.
// Safety: one thread at a time delivers to an observer, and all state is used only then, except for
// `observer`, which is set before.
private final class ObservedProperty<Root: UserDefaults, Value: Sendable>: @unchecked Sendable {
  weak var observer: Observer?
  private weak var root: Root?
  private let keyPath: KeyPath<Root, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  private var last: Value?

  /// A property that reads other keys each time it is read is observed by the keys of this read.
  private static var lookCountMax: Int { 16 }

  init(
    of root: Root, _ keyPath: KeyPath<Root, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  ) {
    self.root = root
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  func update(_ change: Observer.Change) {
    guard let root, let observer else { return }
    let new = value(of: root, observer)
    let old = last
    last = new
    if change.isFirst, !options.contains(.initial) { return }
    if let old, areEqual(old, new) || observer.isEnded { return }
    handler(root, NSKeyValueObservedChange(from: old, to: new, options))
  }

  /// Reads the value and observes all keys that it depends on: later changes are delivered.
  private func value(of root: Root, _ observer: Observer) -> Value {
    var (value, keys) = KeyRecorder.record { root[keyPath: keyPath] }
    for _ in 0..<Self.lookCountMax where keys != observer.keys {
      root.stack.setKeys(of: observer, to: keys)
      (value, keys) = KeyRecorder.record { root[keyPath: keyPath] }
    }
    return value
  }
}
