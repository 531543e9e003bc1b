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
  private let disk: any FileSystem

  init(on disk: any FileSystem) { self.disk = disk }

  /// Between two looks at a store. A store whose last change is older than this is written out, so
  /// that it is within twice this time of the change.
  static let interval: Int64 = 400_000_000

  /// Sees to it that `store` is flushed in a while; at once where no thread is to be had for that.
  func schedule(_ store: Store) {
    if !hasThread(for: store) { store.flushWithoutThread() }
  }

  /// Has `store` wait for the thread, which is started if need be.
  /// - Returns: false when there is none to be had; the next change asks again.
  func hasThread(for store: Store) -> Bool {
    let mustStart = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      waiting.append(store)
      defer { isRunning = true }
      return !isRunning
    }
    if !mustStart || disk.startThread({ [self] in run() }) { return true }
    lock.withLock {
      isRunning = false
      waiting.removeAll { $0 === store }
    }
    return false
  }

  /// Has the thread look now rather than at its next turn.
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

  /// The thread is the parent's; what waited there is flushed there.
  private func forgetParent() {
    forks = ProcessEvents.forks
    waiting.removeAll()
    isRunning = false
  }
}
