/// What a child of `fork` has of its parent, and must not end: that may run foreign code, under
/// whichever lock the child learns that it is one.
enum Inheritance {
  private final class Kept<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  // Safety: retained, and for good.
  /// Never releases the value.
  static func keep(_ value: some Sendable) { _ = Unmanaged.passRetained(Kept(value)) }
}
