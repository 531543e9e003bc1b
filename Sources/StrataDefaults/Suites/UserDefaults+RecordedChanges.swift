import StrataDomains
public import StrataPropertyList
import StrataStorage

/// Recording changes, for assertions in tests.
extension UserDefaultsTypes {
  /// A change of a key.
  public enum RecordedChange: Sendable, Hashable {
    /// A value was set.
    case set(String, PropertyListValue)
    /// The value that was set was removed.
    case remove(String)

    init(_ change: Change) {
      self = change.value.map { .set(change.key, $0) } ?? .remove(change.key)
    }
  }
}

extension UserDefaults {
  /// The changes that this process makes while `body` runs, in order: for assertions in tests.
  ///
  /// ```swift
  /// #expect(defaults.recordChanges { model.goDark() } == [.set("Theme", "dark")])
  /// ```
  ///
  /// They include changes by other objects of the same settings and on other threads, and values
  /// that equal the old ones. If a domain is replaced as a whole, the keys that it no longer has
  /// are removed first.
  @_disfavoredOverload
  public func recordChanges(_ body: () throws -> Void) rethrows -> [RecordedChange] {
    let recorder = ChangeRecorders.start(stack.own)
    defer { ChangeRecorders.stop(recorder) }
    try body()
    return recorder.changes.map(RecordedChange.init)
  }

  /// The changes that this process makes while an asynchronous `body` runs, in order.
  @_disfavoredOverload
  public func recordChanges(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> [RecordedChange] {
    let recorder = ChangeRecorders.start(stack.own)
    defer { ChangeRecorders.stop(recorder) }
    try await body()
    return recorder.changes.map(RecordedChange.init)
  }
}
