import CStrata

/// The thread that writes pending changes to the plist files: started by the first change, it ends
/// when nothing is pending.
///
/// Locking: its lock is the innermost one; no other is taken while it is held.
final class Flusher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var waiting: [Store] = []
  private var isRunning = false
  private var forks = ProcessEvents.forks

  private let lock = Lock(.thread)
  private let alarm = Alarm()
  private let disk: any FileSystem

  init(on disk: any FileSystem) { self.disk = disk }

  /// The time between two looks at a store, in nanoseconds. A store that has not changed since the
  /// last look is checkpointed, so the last of several changes is in the plist file within twice
  /// this time.
  static let interval: Int64 = 400_000_000

  /// Has the thread flush `store` soon; flushes it right here if no thread can be started.
  func schedule(_ store: Store) {
    if !hasThread(for: store) { store.flushWithoutThread() }
  }

  /// Adds `store` to those that wait for the thread, which is started if it does not run.
  /// - Returns: false if no thread can be started; the next change tries again.
  func hasThread(for store: Store) -> Bool {
    lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      // Under the lock: nobody else must wait for a thread that does not come.
      if !isRunning, !disk.startThread({ [self] in run() }) { return false }
      isRunning = true
      waiting.append(store)
      return true
    }
  }

  /// Wakes the thread before its next turn.
  func hurry() { alarm.wake() }

  private func run() {
    while true {
      let ticket = alarm.ticket
      let stores = lock.withLock {
        defer { waiting.removeAll() }
        if waiting.isEmpty { isRunning = false }
        return waiting
      }
      if stores.isEmpty { return }
      alarm.sleep(ticket, atMost: Self.interval)
      let unfinished = stores.filter { $0.tick(now: strata_coarse_now()) }
      lock.withLock { waiting.append(contentsOf: unfinished) }
    }
  }

  /// In a child of `fork`: the thread is the parent's, which also flushes what was waiting.
  private func forgetParent() {
    forks = ProcessEvents.forks
    waiting.removeAll()
    isRunning = false
  }
}
