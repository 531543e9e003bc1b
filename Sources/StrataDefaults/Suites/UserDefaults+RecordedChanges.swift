public import StrataPropertyList
import StrataStorage

/// Recording changes, for assertions.
extension UserDefaults {
  /// What was done to a key.
  public enum RecordedChange: Sendable, Hashable {
    /// It was given a value.
    case set(String, PropertyListValue)
    /// What was set was taken away.
    case remove(String)

    init(_ change: Change) {
      self = change.value.map { .set(change.key, $0) } ?? .remove(change.key)
    }
  }

  /// What is set and removed while `body` runs, in order, by this process: for assertions in tests.
  ///
  /// ```swift
  /// #expect(defaults.recordChanges { model.goDark() } == [.set("Theme", "dark")])
  /// ```
  ///
  /// It counts whatever object of the same settings is used, on whatever thread, and also where an
  /// equal value was set. Where a domain is replaced as a whole, what it had and has no more is
  /// removed first.
  public func recordChanges(_ body: () throws -> Void) rethrows -> [RecordedChange] {
    let recorder = ChangeRecorders.start(stack)
    defer { ChangeRecorders.stop(recorder) }
    try body()
    return recorder.changes.map(RecordedChange.init)
  }

  /// The same for what takes its time.
  public func recordChanges(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> [RecordedChange] {
    let recorder = ChangeRecorders.start(stack)
    defer { ChangeRecorders.stop(recorder) }
    try await body()
    return recorder.changes.map(RecordedChange.init)
  }
}
