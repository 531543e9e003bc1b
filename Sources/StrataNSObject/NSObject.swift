public import StrataDefaults

/// What stands in the place of Foundation's `NSObject` where `StrataKVO` is imported: classes that
/// override `observeValue(forKeyPath:of:change:context:)` compile as they are.
///
/// Foundation's own objects are of `Foundation.NSObject`, which this class inherits from; and a
/// subclass of this one is `Sendable` only where it says `@unchecked`.
open class NSObject: KeyValueObserver {
  /// An object that observes nothing yet.
  public override init() { super.init() }
}

extension NSObject: _KeyPathObservable {}

extension _KeyPathObservable where Self: NSObject {
  /// Calls `changeHandler` with each change of a property that is computed from defaults.
  ///
  /// ```swift
  /// final class Editor: NSObject {
  ///   var showsLineNumbers: Bool { UserDefaults.standard.bool(forKey: "ShowLineNumbers") }
  /// }
  /// let observation = editor.observe(\.showsLineNumbers, options: [.new]) { _, change in … }
  /// ```
  ///
  /// The property is read at first and after each change, to find out which keys of which settings
  /// it depends on: these are observed. What it depends on besides defaults is not observed. The
  /// object is not retained, and the observation ends when the returned token is released.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    ObservedProperty.observe(of: self, keyPath, options, changeHandler)
  }
}
