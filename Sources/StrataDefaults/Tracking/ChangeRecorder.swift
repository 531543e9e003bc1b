import StrataDomains
import StrataPropertyList
import StrataStorage
import Synchronization

/// Records the changes that this process makes to one stack.
final class ChangeRecorder: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var recorded: [Change] = []
  private let lock = Lock(.memory)
  let stack: Stack

  init(_ stack: Stack) { self.stack = stack }

  var changes: [Change] { lock.withLock { recorded } }

  func record(_ changes: [Change]) { lock.withLock { recorded += changes } }
}

/// All recorders of the process. Outside of tests there are none.
enum ChangeRecorders {
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private static var all: [ChangeRecorder] = []
  // Ordering: a thread that was started, or told, after a recorder sees it here; for others there
  // is no before and after.
  private static let count = Atomic<Int>(0)
  private static let lock = Lock(.domains)

  static func start(_ stack: Stack) -> ChangeRecorder {
    let recorder = ChangeRecorder(stack)
    lock.withLock { all.append(recorder) }
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return recorder
  }

  static func stop(_ recorder: ChangeRecorder) {
    count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    lock.withLock { all.removeAll { $0 === recorder } }
  }

  @inline(__always)
  static func record(_ changes: @autoclosure () -> [Change], in stack: Stack) {
    if count.load(ordering: .relaxed) != 0 { recordHere(changes(), stack) }
  }

  private static func recordHere(_ changes: [Change], _ stack: Stack) {
    for recorder in lock.withLock({ all }) where recorder.stack === stack {
      recorder.record(changes)
    }
  }

  /// The keys that are set before a domain is replaced; empty unless there are recorders.
  static func keysBeforeReplacing(in stack: Stack) -> [String] {
    if count.load(ordering: .relaxed) == 0 { return [] }
    return KeyOrder.ascending(Array(stack.own.snapshot().values.keys))
  }

  /// Records that these values replace all that the domain had.
  static func record(
    _ values: [String: PropertyListValue], insteadOf keys: [String], in stack: Stack
  ) {
    let removed = keys.filter { values[$0] == nil }.map { Change(key: $0, value: nil) }
    let set = KeyOrder.ascending(Array(values.keys)).map { Change(key: $0, value: values[$0]) }
    record(removed + set, in: stack)
  }
}
