import StrataDomains
public import StrataPropertyList
import StrataStorage
import Synchronization

/// Recording changes, for assertions.
extension UserDefaults {
  /// What was done to a key.
  public enum RecordedChange: Sendable, Hashable {
    /// It was given a value.
    case set(String, PropertyListValue)
    /// What was set was taken away.
    case remove(String)
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
    let recorder = ChangeRecorders.begin(stack)
    defer { ChangeRecorders.end(recorder) }
    try body()
    return recorder.changes
  }

  /// The same for what takes its time.
  public func recordChanges(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async rethrows -> [RecordedChange] {
    let recorder = ChangeRecorders.begin(stack)
    defer { ChangeRecorders.end(recorder) }
    try await body()
    return recorder.changes
  }
}

/// Notes the changes of one stack.
final class ChangeRecorder: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var recorded: [UserDefaults.RecordedChange] = []
  private let lock = Lock(.memory)
  let stack: Stack

  init(_ stack: Stack) { self.stack = stack }

  var changes: [UserDefaults.RecordedChange] { lock.withLock { recorded } }

  func note(_ changes: [Change]) {
    lock.withLock {
      recorded += changes.map { change in
        change.value.map { .set(change.key, $0) } ?? .remove(change.key)
      }
    }
  }
}

/// All recorders of the process; none, outside of tests.
enum ChangeRecorders {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var all: [ChangeRecorder] = []
  private static let count = Atomic<Int>(0)
  private static let lock = Lock(.domains)

  static func begin(_ stack: Stack) -> ChangeRecorder {
    let recorder = ChangeRecorder(stack)
    lock.withLock { all.append(recorder) }
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return recorder
  }

  static func end(_ recorder: ChangeRecorder) {
    count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    lock.withLock { all.removeAll { $0 === recorder } }
  }

  @inline(__always)
  static func note(_ changes: @autoclosure () -> [Change], in stack: Stack) {
    if count.load(ordering: .relaxed) != 0 { noteSlowly(changes(), stack) }
  }

  private static func noteSlowly(_ changes: [Change], _ stack: Stack) {
    for recorder in lock.withLock({ all }) where recorder.stack === stack { recorder.note(changes) }
  }

  /// The keys that are set, where anybody records.
  static func keys(of stack: Stack) -> [String] {
    count.load(ordering: .relaxed) == 0 ? [] : stack.own.snapshot().values.keys.sorted()
  }

  /// The values that the domain has instead of all that it had.
  static func note(
    _ values: [String: PropertyListValue], insteadOf keys: [String], in stack: Stack
  ) {
    let removed = keys.filter { values[$0] == nil }.map { Change(key: $0, value: nil) }
    let set = values.sorted { $0.key < $1.key }.map { Change(key: $0.key, value: $0.value) }
    note(removed + set, in: stack)
  }
}
