import CStrata
import Synchronization

/// A thread of ours, which ends when its work is done.
package enum Thread {
  /// Runs `body` on a new detached thread with all signals but SIGBUS blocked, so that the
  /// program's handlers run where the program expects them.
  /// - Returns: false if the system has no thread to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    let isStarted = strata_thread_start(run, work.toOpaque()) != 0
    if !isStarted { work.release() }
    return isStarted
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    guard let pointer else { return }
    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
  }
}

/// A sleep that others can end.
final class Alarm: Sendable {
  // Safety: allocated here, freed with this object, atomic in between.
  nonisolated(unsafe) private let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

  init() { word.initialize(to: Atomic(0)) }
  deinit { word.deallocate() }

  // Ordering: releases the work to whoever sees the new ticket; the kernel compares the ticket
  // before it puts a thread to sleep.

  /// What to pass to `sleep`; read before looking for work, so that no `wake` is missed.
  var ticket: UInt32 { word.pointee.load(ordering: .acquiring) }

  func sleep(_ ticket: UInt32, atMost nanoseconds: Int64) {
    strata_futex_wait(raw, ticket, max(0, nanoseconds))
  }

  func wake() {
    word.pointee.wrappingAdd(1, ordering: .releasing)
    strata_futex_wake(raw, Int32.max)
  }

  private var raw: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }
}
