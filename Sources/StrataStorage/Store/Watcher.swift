/// Something on whose behalf the watcher's thread waits.
protocol Watched: AnyObject, Sendable {
  /// Asks the feed to raise `suspicion` when there may be something to tell. Called again with the
  /// next feed when that was lost.
  func follow(_ feed: Feed, _ suspicion: Suspicion)
  /// Takes in what happened and tells it.
  /// - Returns: whether to look again in a moment.
  func deliver() -> Bool
}

/// The thread that waits for changes from outside on behalf of what is watched: there is one while
/// something is, and it sleeps in the kernel.
///
/// Locking: nothing else is taken while its lock is held.
final class Watcher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var items: [(watched: any Watched, suspicion: Suspicion)] = []
  private var feed: Feed?
  private var isRunning = false
  private var forks = ProcessEvents.forks

  private let lock = Lock(.thread)
  private let alarm = Alarm()
  private let disk: any FileSystem

  private static let secondLook: Int64 = 30_000_000
  /// How often everybody looks while the kernel has no queue to give.
  private static let deafLook: Int64 = 100_000_000

  init(on disk: any FileSystem) { self.disk = disk }

  /// Tells `watched` of everything that it follows; asks it anew what that is if it is known.
  func add(_ watched: any Watched) {
    let (feed, suspicion, mustStart) = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      let feed = self.feed ?? Feed(on: disk)
      self.feed = feed
      let known = items.first { $0.watched === watched }
      let suspicion = known?.suspicion ?? Suspicion()
      if known == nil { items.append((watched, suspicion)) }
      defer { isRunning = true }
      return (feed, suspicion, !isRunning)
    }
    watched.follow(feed, suspicion)
    guard mustStart, !Thread.start({ [self] in run() }) else { return }
    lock.withLock { isRunning = false }
  }

  /// The thread ends when nothing is left.
  func remove(_ watched: any Watched) {
    let idle = lock.withLock {
      items.removeAll { $0.watched === watched }
      return items.isEmpty && forks == ProcessEvents.forks ? feed : nil
    }
    idle?.stir()
  }

  /// Whether its thread runs.
  var hasThread: Bool { lock.withLock { isRunning } }

  private func run() {
    while let feed = current() {
      if !feed.wait() { alarm.sleep(alarm.ticket, atMost: Self.deafLook) }
      feed.takeAll()
      if feed.isStale { replace(feed) }
      for item in suspected() where item.deliver() {
        alarm.sleep(alarm.ticket, atMost: Self.secondLook)
        _ = item.deliver()
      }
    }
  }

  /// The feed to wait on; nil when nothing is watched any more, and the thread is done.
  private func current() -> Feed? {
    lock.withLock {
      if items.isEmpty {
        feed = nil
        isRunning = false
      }
      return feed
    }
  }

  /// What happened while nobody listened to either is found by those who look: all of them do.
  private func replace(_ old: Feed) {
    let (new, items) = lock.withLock {
      let new = Feed(on: disk, insteadOf: old)
      feed = new
      return (new, self.items)
    }
    for item in items {
      item.watched.follow(new, item.suspicion)
      item.suspicion.raise()
    }
  }

  private func suspected() -> [any Watched] {
    lock.withLock { items.compactMap { $0.suspicion.take() ? $0.watched : nil } }
  }

  /// A child watches nothing of what its parent did: the thread is the parent's.
  private func forgetParent() {
    forks = ProcessEvents.forks
    items.removeAll()
    feed = nil
    isRunning = false
  }
}
