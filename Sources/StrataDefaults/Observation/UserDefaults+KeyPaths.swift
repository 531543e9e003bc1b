public import Foundation

// The underscore keeps it out of the documentation and out of completion: nobody calls it.
/// Makes `Self` in `observe(_:options:changeHandler:)` the subclass that has the property.
public protocol _KeyPathObservable: AnyObject {}
extension UserDefaults: _KeyPathObservable {}

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

extension _KeyPathObservable where Self: UserDefaults {
  /// Calls `changeHandler` with each change of a property that is computed from defaults.
  ///
  /// ```swift
  /// extension UserDefaults { var showsLineNumbers: Bool { bool(forKey: "ShowLineNumbers") } }
  /// let observation = defaults.observe(\.showsLineNumbers, options: [.new]) { _, change in … }
  /// ```
  ///
  /// The property is read at first and after each change, to find out which keys it depends on, of
  /// these settings or others: these are observed. If its values can be compared, only different
  /// ones are delivered. The option `.prior` has no effect, since the next value of a property is
  /// not known before. The token retains this object.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observation = ObservedProperty.observe(of: self, keyPath, options, changeHandler)
    return NSKeyValueObservation { [self] in withExtendedLifetime(self, observation.invalidate) }
  }
}
