import StrataPropertyList
import StrataStorage
import Synchronization

/// Records the changes that this process makes in one domain.
final class ChangeRecorder: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var recorded: [Change] = []
  private let lock = Lock(.memory)
  let layer: Layer

  init(_ layer: Layer) { self.layer = layer }

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

  static func start(_ layer: Layer) -> ChangeRecorder {
    let recorder = ChangeRecorder(layer)
    lock.withLock { all.append(recorder) }
    count.wrappingAdd(1, ordering: .sequentiallyConsistent)
    return recorder
  }

  static func stop(_ recorder: ChangeRecorder) {
    count.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    lock.withLock { all.removeAll { $0 === recorder } }
  }

  @inline(__always)
  static func record(_ changes: @autoclosure () -> [Change], in layer: Layer) {
    if count.load(ordering: .relaxed) != 0 { recordHere(changes(), layer) }
  }

  private static func recordHere(_ changes: [Change], _ layer: Layer) {
    for recorder in lock.withLock({ all }) where recorder.layer == layer {
      recorder.record(changes)
    }
  }
}
