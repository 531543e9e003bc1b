import CStrata

/// The thread that brings pending changes to the plist files: started by the first change, gone
/// when nothing is pending.
///
/// Locking: its lock is the innermost one; nothing else is taken while it is held.
final class Flusher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var waiting: [Store] = []
  private var isRunning = false
  private var forks = ProcessEvents.forks

  private let lock = Lock(.thread)
  private let alarm = Alarm()

  /// Between two looks at a store. A store whose last change is older than this is written out, so
  /// that it is within twice this time of the change.
  static let interval: Int64 = 400_000_000

  /// Sees to it that `store` is flushed in a while.
  func schedule(_ store: Store) {
    let mustStart = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      waiting.append(store)
      defer { isRunning = true }
      return !isRunning
    }
    guard mustStart else { return }
    if !Thread.start({ [self] in run() }) {
      // No thread to be had: the change is in the journal, and the next one tries again.
      lock.withLock { isRunning = false }
    }
  }

  /// Has the thread look now rather than at its next turn.
  func hurry() { alarm.ring() }

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

  /// The thread is the parent's; what waited there is flushed there.
  private func forgetParent() {
    forks = ProcessEvents.forks
    waiting.removeAll()
    isRunning = false
  }

}
