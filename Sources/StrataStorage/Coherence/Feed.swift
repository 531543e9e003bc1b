import Synchronization

/// This process's queue of the changes that anyone makes in the directories of its stores.
///
/// The kernel adds an entry before the changing call returns. A set that looks here first thus
/// knows of every edit that was complete before it, whatever the clocks say, for one short call.
///
/// A feed only ever listens to more. When a path may lead elsewhere by now, since a step of the way
/// to it lost its name or was made, the whole feed is lost: everyone is told to look, and before
/// that listens to the next feed.
final class Feed: @unchecked Sendable {
  // Safety: constants, an atomic, and what `lock` guards.
  private let disk: any FileSystem
  /// The kernel's queue; nil where it had none to give, or is not asked.
  private let file: FileID?
  private let isDisabled: Bool
  private let forks = ProcessEvents.forks
  /// Whether it takes the place of one that was lost: what is found on the way may be about to go.
  private let isNext: Bool
  private let isLost = Atomic<Bool>(false)

  // -- Guarded by `lock`

  private let lock = Lock(.feed)
  private var paths: FeedPaths?
  private var subscriptions = FeedSubscriptions()
  private var lacksWatches = false
  /// What is given up to have whoever waits return: that works also when no watch can be had.
  private var wakeupWatch: Int32?
  private var isWoken = false

  /// - Parameter isDisabled: asks the kernel for nothing.
  init(on disk: any FileSystem, insteadOf old: Feed? = nil, isDisabled: Bool = false) {
    self.disk = disk
    self.isDisabled = isDisabled
    isNext = old?.isLost.load(ordering: .acquiring) ?? false
    do { file = isDisabled ? nil : try disk.makeFeed() } catch { file = nil }
    guard let file else { return }
    disk.keepFromChildren(file)
    paths = FeedPaths(file, on: disk)
  }

  deinit { if let file, forks == ProcessEvents.forks { disk.closeKept(file) } }

  /// Whether another one is to be listened to: this was lost, or is the parent's, or the kernel had
  /// none to give.
  var isStale: Bool {
    forks != ProcessEvents.forks || isLost.load(ordering: .acquiring)
      || file == nil && !isDisabled
  }

  /// What whoever runs the machine can do where not all is heard.
  var remedy: String? {
    if file == nil {
      return isDisabled ? nil : "raise fs.inotify.max_user_instances, or the limit of open files"
    }
    return lock.withLock { lacksWatches } ? "raise fs.inotify.max_user_watches" : nil
  }

  // -- Subscribing

  /// Raises `hint` when one of `names` in `directory` changes, or (nil) any, and when its path
  /// may lead to another directory; where it is missing, when it is made. If there are no `names`,
  /// at once where it is there.
  ///
  /// - Parameters:
  ///   - interest: what is asked of the kernel; it may tell more, where others ask for more.
  ///   - isHeld: whether a process may have a file of the directory mapped: then the kernel tells
  ///     not of the directory that it was removed, but of the one around it.
  /// - Returns: whether all that can be heard.
  func subscribe(
    _ hint: ChangeHint, to names: [String]?, in directory: String,
    for interest: FileInterest = .changes, isHeld: Bool = false
  ) -> Bool {
    let isHeard = withPaths { paths throws(StorageError) in
      try listen(hint, to: names, in: directory, for: interest, isHeld, &paths)
    }
    return isHeard && !disk.kind(of: directory).isShared  // of other machines nothing is told
  }

  /// The same for what a link leads to, and for the link.
  func subscribe(_ hint: ChangeHint, toTargetOf link: String) -> Bool {
    var target = link
    for _ in 0..<Path.linksMax {
      let next: String?
      do throws(StorageError) {
        next = try disk.destination(of: target)
      } catch {
        lock.withLock { note(error) }
        return false
      }
      guard let next else {
        if target == link { return true }
        return subscribe(hint, to: [Path.name(of: target)], in: Path.directory(of: target))
      }
      let isHeard = withPaths { paths throws(StorageError) in try paths.enter(link: target) }
      if !isHeard { return false }
      target = next
    }
    return false
  }

  /// Raises `hint` for nothing that happens from now on.
  func unsubscribe(_ hint: ChangeHint) { lock.withLock { subscriptions.remove(hint) } }

  /// Listens to more.
  /// - Returns: false where the kernel refused.
  private func withPaths(
    _ body: (inout FeedPaths) throws(StorageError) -> Void
  ) -> Bool {
    lock.withLock {
      guard var paths = self.paths else { return false }
      // Not copied with each call.
      self.paths = nil
      defer { self.paths = paths }
      do throws(StorageError) {
        try body(&paths)
      } catch {
        note(error)
        if paths.isLost { lose() }
        return false
      }
      // Whoever asked while it was being lost is told, too.
      if paths.isLost || isLost.load(ordering: .relaxed) {
        lose()
        wakeWaiter()
      }
      return true
    }
  }

  private func note(_ error: StorageError) {
    if error.isOfShortage { lacksWatches = true }
  }

  private func listen(
    _ hint: ChangeHint, to names: [String]?, in directory: String,
    for interest: FileInterest, _ isHeld: Bool, _ paths: inout FeedPaths
  ) throws(StorageError) {
    let standing = try paths.enter(directory)
    do throws(StorageError) {
      switch standing {
      case .missing:
        subscriptions.add(hint, .nothing)
        if isHeld, isNext { try paths.expectAll(above: directory) }
      case .there(let watch):
        if isHeld { try paths.expect(directory, watch) }
        fallthrough
      case .unheard:
        let watch = try paths.watch(directory, for: interest)
        subscriptions.add(hint, .init(watch: watch, names: names, interest: interest))
        // It came before the kernel listened to whoever waits for it alone.
        if names?.isEmpty == true { hint.raise() }
      }
    } catch {
      guard error.isOfMissing, case .there(let watch) = standing else { throw error }
      subscriptions.add(hint, .nothing)
      if error.code == SystemCode.noSuchFile { return paths.lose() }
      // A file is in the directory's place, and may be replaced by one.
      try paths.expect(directory, watch)
    }
  }

  // -- Events

  /// Whether there is something to drain.
  @inline(__always)
  var hasEvents: Bool { file.map { disk.hasEvents($0) } ?? false }

  /// Hands what is in the queue to those whom it concerns.
  @inline(__always)
  func drain() {
    if hasEvents { takeAll() }
  }

  /// The same for whoever knows that something is there.
  func takeAll() {
    guard let file else { return }
    lock.withLock {
      for event in disk.events(file) {
        if paths?.isLoss(event) == true { return lose() }
        subscriptions.raise(for: event)
      }
    }
  }

  /// The lock must be held.
  private func lose() {
    isLost.store(true, ordering: .releasing)
    subscriptions.raiseAll()
  }

  // -- Waiting

  /// How often those look who can't hear: in nanoseconds.
  static let pollInterval: Int64 = 100_000_000

  /// Returns when there may be something to drain, or somebody wakes, or (nil stands for never)
  /// after so many nanoseconds.
  /// - Returns: false at once when the kernel tells nothing.
  func wait(atMost limit: Int64? = nil) -> Bool {
    guard let file else { return false }
    let (isWoken, canBeWoken) = lock.withLock { (self.isWoken, armWakeup(file)) }
    if !isWoken {
      disk.waitForEvents(file, atMost: canBeWoken ? limit : min(limit ?? .max, Self.pollInterval))
    }
    // What was done before `wake` is looked at after this.
    lock.withLock { self.isWoken = false }
    return true
  }

  /// Makes whoever waits return, or whoever waits next.
  func wake() { lock.withLock { wakeWaiter() } }

  /// Nothing ever happens to this file.
  private static let stillFile = "/dev/null"

  private func armWakeup(_ file: FileID) -> Bool {
    if wakeupWatch != nil { return true }
    do throws(StorageError) {
      wakeupWatch = try disk.watch(Self.stillFile, for: .itself, with: file)
      return true
    } catch {
      return false
    }
  }

  private func wakeWaiter() {
    isWoken = true
    // That a watch is gone is an event; this one's is of interest to nobody else.
    if let file, let wakeupWatch { disk.unwatch(wakeupWatch, with: file) }
    wakeupWatch = nil
  }
}
