import CStrata
import Synchronization

/// Something on whose behalf the watcher's thread waits.
protocol Watched: AnyObject, Sendable {
  /// Has the feed raise `hint` when there may be something to deliver. Called again with the next
  /// feed when this one is lost, and with the same one as long as it does not tell everything.
  /// Raises `hint` itself for what may have happened before.
  /// - Returns: whether the feed tells everything.
  func subscribe(_ hint: ChangeHint, to feed: Feed) -> Bool
  /// Takes in what happened, and notifies those who watch.
  func deliver() -> Outlook
  /// Notes why nothing can be delivered at the moment; nil says that this is over.
  func note(silence: String?)
  /// Whether what it follows is what it last subscribed to.
  var isUpToDate: Bool { get }
}

/// What is left to do after a look at what happened.
enum Outlook {
  case settled
  /// There is something that is only believed at a second look, in a moment.
  case doubtful
  /// Something can't be read now, and the kernel won't tell when it can.
  case blind
}

extension Watched {
  var isUpToDate: Bool { true }
}

/// The thread that waits for changes from outside: it exists while anything is watched, and sleeps
/// in the kernel. What the kernel can't report is looked at ten times a second, and subscribed to
/// again.
///
/// To subscribe takes most of a millisecond, and so does the end of a subscription. So what is
/// watched no more stays for a second, in case somebody watches it again.
///
/// Locking: no other lock is taken while its own is held.
final class Watcher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var items: [Item] = []
  private var feed: Feed?
  private var isRunning = false
  private var forks = ProcessEvents.forks
  private var hasComplained = false
  /// Whether something is watched, and there is no thread to wait for it.
  // Ordering: a hint whether to take the lock, under which it changes; the next read looks again.
  private let isSilent = Atomic<Bool>(false)

  private let lock = Lock(.thread)
  private let alarm = Alarm()
  private let disk: any FileSystem
  private let log: @Sendable (String) -> Void

  private struct Item {
    let watched: any Watched
    let hint: ChangeHint
    var isHeard = true
    var mustLookAgain = false
    /// When it goes, if nobody watches it again; nil while somebody does.
    var end: Int64?

    var mustPoll: Bool { !isHeard || mustLookAgain }
  }

  package static let lingering: Int64 = 1_000_000_000

  private static let secondLook: Int64 = 30_000_000

  init(on disk: any FileSystem, log: @escaping @Sendable (String) -> Void) {
    self.disk = disk
    self.log = log
  }

  /// Notifies `watched` of changes, or no more: as `isWanted` says when this returns. Several
  /// threads may be told different things on the way; the last one sees the final state.
  func follow(_ watched: any Watched, if isWanted: () -> Bool) {
    var isFollowed: Bool
    repeat {
      isFollowed = isWanted()
      if isFollowed { add(watched) } else { remove(watched) }
    } while isWanted() != isFollowed
  }

  /// Notifies `watched` of changes from now on; if it is known, asks it again what it follows.
  func add(_ watched: any Watched) {
    if takeBack(watched), watched.isUpToDate { return }
    let (feed, hint, mustStart) = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      let feed = self.feed ?? Feed(on: disk)
      self.feed = feed
      let known = items.firstIndex { $0.watched === watched }
      let hint = known.map { items[$0].hint } ?? ChangeHint()
      if let known {
        items[known].end = nil
      } else {
        items.append(Item(watched: watched, hint: hint))
      }
      defer { isRunning = true }
      return (feed, hint, !isRunning)
    }
    let isHeard = subscribe(to: feed, for: Item(watched: watched, hint: hint))
    if !isHeard || hint.isRaised { wake() }
    if mustStart { start() }
  }

  /// Goes on with what has ended a moment ago, and looks for what happened meanwhile.
  private func takeBack(_ watched: any Watched) -> Bool {
    let isBack = lock.withLock {
      guard forks == ProcessEvents.forks, isRunning,
        let index = items.firstIndex(where: { $0.watched === watched && $0.end != nil })
      else { return false }
      items[index].end = nil
      items[index].hint.raise()
      return true
    }
    if isBack { wake() }
    return isBack
  }

  /// Starts the thread if the system had none to give before; does nothing if it runs.
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
      // Has it look for what happened meanwhile.
      if hasThread { item.hint.raise() }
    }
    if hasThread, isNews { wake() }
  }

  /// Has `watched` deliver, if it is known, as if something had happened.
  func wake(_ watched: any Watched) {
    lock.withLock { items.first { $0.watched === watched } }?.hint.raise()
    wake()
  }

  /// Ends the watch of `watched` in a moment; the thread ends when nothing is left.
  func remove(_ watched: any Watched) {
    let mustWake = lock.withLock {
      if forks != ProcessEvents.forks { return false }
      guard let index = items.firstIndex(where: { $0.watched === watched }) else { return false }
      // The thread wakes at the first end, and finds the others then.
      let isFirst = !items.contains { $0.end != nil }
      items[index].end = strata_coarse_now() + Self.lingering
      return isFirst
    }
    if mustWake { wake() }
  }

  /// Whether its thread runs.
  var hasThread: Bool { lock.withLock { isRunning } }

  private func run() {
    var lookAt: Int64 = 0
    while let (feed, mustPoll, end) = current() {
      let next = mustPoll ? min(end ?? .max, lookAt) : end
      let limit = next.map { max(0, $0 - strata_coarse_now()) }
      if !feed.wait(atMost: limit) { alarm.sleep(alarm.ticket, atMost: Feed.pollInterval) }
      feed.takeAll()
      if feed.isStale {
        replace(feed)
      } else if mustPoll, strata_coarse_now() >= lookAt {
        resubscribe(to: feed)
        lookAt = strata_coarse_now() + Feed.pollInterval
      }
      for watched in hinted() { deliver(watched) }
    }
  }

  private func deliver(_ watched: any Watched) {
    var outlook = watched.deliver()
    if outlook == .doubtful {
      alarm.sleep(alarm.ticket, atMost: Self.secondLook)
      outlook = watched.deliver()
    }
    lock.withLock {
      guard let index = items.firstIndex(where: { $0.watched === watched }) else { return }
      items[index].mustLookAgain = outlook != .settled
    }
  }

  /// The feed to wait on, whether there is more to see than it tells, and when something goes; nil
  /// when nothing is left, and the thread must end.
  private func current() -> (Feed, mustPoll: Bool, end: Int64?)? {
    let (state, gone) = lock.withLock {
      let now = strata_coarse_now()
      let gone = items.filter { item in item.end.map { $0 <= now } ?? false }
      items.removeAll { item in gone.contains { $0.watched === item.watched } }
      if items.isEmpty {
        feed = nil
        isRunning = false
      }
      return (
        feed.map { ($0, items.contains(where: \.mustPoll), items.compactMap(\.end).min()) }, gone
      )
    }
    withExtendedLifetime(gone) {}  // released without the lock
    return state
  }

  /// Subscribes everybody to the next feed. What happened while nobody was subscribed to either is
  /// found because everybody looks.
  private func replace(_ old: Feed) {
    let (new, items) = lock.withLock {
      let new = Feed(on: disk, insteadOf: old)
      feed = new
      return (new, self.items)
    }
    for item in items {
      subscribe(to: new, for: item)
      item.hint.raise()
    }
  }

  /// Subscribes again what the feed does not tell, and has it look for what happened before.
  private func resubscribe(to feed: Feed) {
    for item in lock.withLock({ items.filter(\.mustPoll) }) {
      if !item.isHeard { subscribe(to: feed, for: item) }
      item.hint.raise()
    }
  }

  /// - Returns: whether the feed tells everything.
  @discardableResult
  private func subscribe(to feed: Feed, for item: Item) -> Bool {
    let isHeard = item.watched.subscribe(item.hint, to: feed)
    let remedy = isHeard ? nil : feed.remedy
    let mustComplain = lock.withLock {
      let index = items.firstIndex { $0.watched === item.watched }
      // If there is another feed by now, that gives an answer of its own.
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

  /// Has the thread look for something to do.
  private func wake() {
    // In a child of `fork`, its file is not this process's.
    lock.withLock { forks == ProcessEvents.forks ? feed : nil }?.wake()
  }

  private func hinted() -> [any Watched] {
    lock.withLock { items.compactMap { $0.hint.take() ? $0.watched : nil } }
  }

  /// In a child of `fork`: nothing is watched, and the thread is the parent's.
  private func forgetParent() {
    forks = ProcessEvents.forks
    Inheritance.keep(items)
    items.removeAll()
    feed = nil
    isRunning = false
  }
}
