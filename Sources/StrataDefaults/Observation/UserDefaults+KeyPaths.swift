import StrataDomains
import StrataStorage

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
  /// Whether the change is still to come: never, for a property.
  public let isPrior: Bool
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}

/// Keeps an observation going; dropping it, or `invalidate`, ends it.
public final class NSKeyValueObservation: Sendable {
  private let observation: UserDefaults.KeyObservation

  init(_ observation: UserDefaults.KeyObservation) { self.observation = observation }

  /// Ends the observation: no call begins after it.
  public func invalidate() { observation.cancel() }
}

extension KeyPathObservable {
  /// Has `changeHandler` called with each change of a property that is computed from defaults.
  ///
  /// ```swift
  /// extension UserDefaults { var showsLineNumbers: Bool { bool(forKey: "ShowLineNumbers") } }
  /// let observation = defaults.observe(\.showsLineNumbers, options: [.new]) { _, change in … }
  /// ```
  ///
  /// The property is read at first and after each change, to see which keys it depends on: those
  /// are observed. A property whose values can be compared is told only when it has another value.
  /// The option `.prior` has no effect: what a property will be, nobody knows before.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let property = ObservedProperty(of: self, keyPath, options, changeHandler)
    let observer = Observer([], deliversInitial: true) { property.update($0) }
    property.observer = observer
    stack.add(observer)
    return NSKeyValueObservation(UserDefaults.KeyObservation(self, observer))
  }
}

/// A property whose keys are observed.
// Safety: an observer is told by one thread at a time, and all state is touched only then, but for
// `observer`, which is set before.
private final class ObservedProperty<Root: UserDefaults, Value: Sendable>: @unchecked Sendable {
  weak var observer: Observer?
  private weak var root: Root?
  private let keyPath: KeyPath<Root, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: @Sendable (Root, NSKeyValueObservedChange<Value>) -> Void
  private var last: Value?

  /// A property that reads other keys each time it is read is observed by these last ones.
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
    handler(
      root,
      NSKeyValueObservedChange(
        kind: .setting, newValue: options.contains(.new) ? new : nil,
        oldValue: options.contains(.old) ? old : nil, isPrior: false))
  }

  /// The value, and all keys that it comes from observed: what changes after this is told.
  private func value(of root: Root, _ observer: Observer) -> Value {
    var (value, keys) = KeyRecorder.record { root[keyPath: keyPath] }
    for _ in 0..<Self.lookCountMax where keys != observer.keys {
      root.stack.setKeys(of: observer, to: keys)
      (value, keys) = KeyRecorder.record { root[keyPath: keyPath] }
    }
    return value
  }
}
