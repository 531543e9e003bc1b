import CStrata
import Synchronization

/// Something on whose behalf the watcher's thread waits.
protocol Watched: AnyObject, Sendable {
  /// Asks the feed to raise `hint` when there may be something to deliver. Called again with the
  /// next feed when that was lost, and with the same one while not all of it is heard. Raises it
  /// itself for what may have come before.
  /// - Returns: whether all of it is.
  func subscribe(_ hint: ChangeHint, to feed: Feed) -> Bool
  /// Takes in what happened and tells it.
  /// - Returns: whether to look again in a moment.
  func deliver() -> Bool
  /// Notes that nothing can be told at the moment, and why; nil says that this is over.
  func note(silence: String?)
}

/// The thread that waits for changes from outside on behalf of what is watched: there is one while
/// something is, and it sleeps in the kernel. Whoever can't be heard of looks every tenth of a
/// second, and tries to listen again.
///
/// Locking: nothing else is taken while its lock is held.
final class Watcher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var items: [Item] = []
  private var feed: Feed?
  private var isRunning = false
  private var forks = ProcessEvents.forks
  private var hasComplained = false
  /// Whether there is something to wait for, and no thread that does.
  private let isSilent = Atomic<Bool>(false)

  private let lock = Lock(.thread)
  private let alarm = Alarm()
  private let disk: any FileSystem
  private let log: @Sendable (String) -> Void

  private struct Item {
    let watched: any Watched
    let hint: ChangeHint
    var isHeard = true
  }

  private static let secondLook: Int64 = 30_000_000

  init(on disk: any FileSystem, log: @escaping @Sendable (String) -> Void) {
    self.disk = disk
    self.log = log
  }

  /// Tells `watched` of everything that it follows; asks it anew what that is if it is known.
  func add(_ watched: any Watched) {
    let (feed, hint, mustStart) = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      let feed = self.feed ?? Feed(on: disk)
      self.feed = feed
      let known = items.first { $0.watched === watched }
      let hint = known?.hint ?? ChangeHint()
      if known == nil { items.append(Item(watched: watched, hint: hint)) }
      defer { isRunning = true }
      return (feed, hint, !isRunning)
    }
    let isHeard = listen(to: feed, for: Item(watched: watched, hint: hint))
    if !isHeard || hint.isRaised { wake() }
    if mustStart { start() }
  }

  /// The system may have had no thread to give: asks again, and does nothing if there is one.
  func startIfNeeded() {
    guard isSilent.load(ordering: .relaxed) else { return }
    let mustStart = lock.withLock {
      guard !isRunning, !items.isEmpty, forks == ProcessEvents.forks else { return false }
      isRunning = true
      return true
    }
    if mustStart { start() }
  }

  private func start() {
    let hasThread = disk.startThread { [self] in run() }
    let (items, isNews) = lock.withLock {
      if !hasThread { isRunning = false }
      let isNews = isSilent.exchange(!hasThread, ordering: .relaxed) == hasThread
      return (self.items, isNews)
    }
    let silence =
      hasThread
      ? nil
      : "no thread can be started to wait for changes by others; they are reported once one can; "
        + "raise the limit on processes and threads (ulimit -u) or on memory"
    for item in items where isNews || !hasThread {
      item.watched.note(silence: silence)
      // What happened meanwhile is looked for.
      if hasThread { item.hint.raise() }
    }
    if hasThread, isNews { wake() }
  }

  /// Has something deliver that is known, as if there were something to tell.
  func wake(_ watched: any Watched) {
    lock.withLock { items.first { $0.watched === watched } }?.hint.raise()
    wake()
  }

  /// The thread ends when nothing is left.
  func remove(_ watched: any Watched) {
    let idle = lock.withLock {
      items.removeAll { $0.watched === watched }
      return items.isEmpty && forks == ProcessEvents.forks ? feed : nil
    }
    idle?.wake()
  }

  /// Whether its thread runs.
  var hasThread: Bool { lock.withLock { isRunning } }

  private func run() {
    var lookAt: Int64 = 0
    while let (feed, isHeard) = current() {
      let limit = isHeard ? nil : max(0, lookAt - strata_coarse_now())
      if !feed.wait(atMost: limit) { alarm.sleep(alarm.ticket, atMost: Feed.pollInterval) }
      feed.takeAll()
      if feed.isStale {
        replace(feed)
      } else if !isHeard, strata_coarse_now() >= lookAt {
        listenAgain(to: feed)
        lookAt = strata_coarse_now() + Feed.pollInterval
      }
      for item in hinted() where item.deliver() {
        alarm.sleep(alarm.ticket, atMost: Self.secondLook)
        _ = item.deliver()
      }
    }
  }

  /// The feed to wait on, and whether all is heard; nil when nothing is watched any more, and the
  /// thread is done.
  private func current() -> (Feed, isHeard: Bool)? {
    lock.withLock {
      if items.isEmpty {
        feed = nil
        isRunning = false
      }
      return feed.map { ($0, items.allSatisfy(\.isHeard)) }
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
      listen(to: new, for: item)
      item.hint.raise()
    }
  }

  /// Whoever is not heard looks, also for what happened before the kernel listened.
  private func listenAgain(to feed: Feed) {
    for item in lock.withLock({ items.filter { !$0.isHeard } }) {
      listen(to: feed, for: item)
      item.hint.raise()
    }
  }

  /// - Returns: whether all of it is heard.
  @discardableResult
  private func listen(to feed: Feed, for item: Item) -> Bool {
    let isHeard = item.watched.subscribe(item.hint, to: feed)
    let remedy = isHeard ? nil : feed.remedy
    let mustComplain = lock.withLock {
      let index = items.firstIndex { $0.watched === item.watched }
      // The next feed has an answer of its own.
      if let index, self.feed === feed { items[index].isHeard = isHeard }
      guard remedy != nil, !hasComplained else { return false }
      hasComplained = true
      return true
    }
    if mustComplain, let remedy {
      log(
        "the kernel cannot report all changes by others; polling ten times a second instead: "
          + remedy)
    }
    return isHeard
  }

  /// Has the thread look whether there is something to do.
  private func wake() { lock.withLock { feed }?.wake() }

  private func hinted() -> [any Watched] {
    lock.withLock { items.compactMap { $0.hint.take() ? $0.watched : nil } }
  }

  /// A child watches nothing of what its parent did: the thread is the parent's.
  private func forgetParent() {
    forks = ProcessEvents.forks
    items.removeAll()
    feed = nil
    isRunning = false
  }
}
