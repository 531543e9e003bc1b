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
