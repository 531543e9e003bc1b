import Synchronization

/// This process's queue of changes that anyone makes in the directories of its stores (inotify).
///
/// The kernel adds an event before the call that causes it returns. So a set that looks here first
/// knows of every edit that was complete before it, whatever the clocks say, for one short call.
///
/// A feed only ever adds watches. When a path may lead elsewhere by now, since a step on the way to
/// it lost its name or was made, the whole feed is lost: every subscriber is told to look, and
/// subscribes to the next feed before it does.
final class Feed: @unchecked Sendable {
  // Safety: constants, an atomic, and what `lock` guards.
  private let disk: any FileSystem
  /// The kernel's queue; nil if it had none to give, or is not to be asked.
  private let file: FileID?
  /// Tells sooner whether there are events; nil if it could not be had.
  private let lookout: Lookout?
  private let mode: FeedMode
  private let forks = ProcessEvents.forks
  /// Whether it replaces one that was lost: what is found on the way may be about to go, too.
  private let isNext: Bool
  private let isLost = Atomic<Bool>(false)
  /// Whether a thread hands on what it has taken from the queue.
  private let isTelling = Atomic<Bool>(false)

  // -- Guarded by `lock`

  private let lock = Lock(.feed)
  private var paths: FeedPaths?
  private var subscriptions = FeedSubscriptions()
  private var lacksWatches = false
  /// The watch that is removed to end a wait: that works even when no more watches can be had.
  private var wakeupWatch: Int32?
  private var isWoken = false

  init(on disk: any FileSystem, insteadOf old: Feed? = nil, _ mode: FeedMode = .kernelEvents) {
    self.disk = disk
    self.mode = mode
    isNext = old.map { $0.mode == .kernelEvents && $0.isLost.load(ordering: .acquiring) } ?? false
    do { file = mode == .kernelEvents ? try disk.makeFeed() : nil } catch { file = nil }
    lookout = file.flatMap { disk.makeLookout(for: $0) }
    guard let file else { return }
    disk.keepFromChildren(file)
    if let lookout { disk.keepFromChildren(lookout.file) }
    paths = FeedPaths(file, on: disk)
  }

  deinit {
    guard let file, forks == ProcessEvents.forks else { return }
    if let lookout {
      lookout.end()
      disk.closeKept(lookout.file)
    }
    disk.closeKept(file)
  }

  /// Whether the next feed must be used: this one was lost, or is the parent's, or the kernel had
  /// no queue to give.
  var isStale: Bool {
    forks != ProcessEvents.forks || isLost.load(ordering: .acquiring)
      || file == nil && mode == .kernelEvents
  }

  /// Whether the kernel reports nothing, so that stores look at the files themselves.
  var isSilent: Bool { mode != .kernelEvents }

  /// What an administrator can do if the kernel does not report everything; nil for nothing.
  var remedy: String? {
    if file == nil {
      return mode == .kernelEvents
        ? "raise fs.inotify.max_user_instances, or the limit of open files" : nil
    }
    return lock.withLock { lacksWatches } ? "raise fs.inotify.max_user_watches" : nil
  }

  // -- Subscribing

  /// Raises `hint` when one of `names` in `directory` changes (nil: any), when the path may lead to
  /// another directory, and when a directory that is missing is made. With empty `names`, raises it
  /// at once if the directory is there.
  ///
  /// - Parameters:
  ///   - interest: what the kernel is asked to report; it may report more, if others ask for more.
  ///   - isHeld: whether a process may have a file of the directory mapped: then the kernel reports
  ///     the directory's removal not for itself, but for the directory around it.
  /// - Returns: whether all of that can be heard.
  func subscribe(
    _ hint: ChangeHint, to names: [String]?, in directory: String,
    for interest: FileInterest = .changes, isHeld: Bool = false
  ) -> Bool {
    if isSilent { return false }
    let isHeard = withPaths { paths throws(StorageError) in
      try add(hint, to: names, in: directory, for: interest, isHeld, &paths)
    }
    return isHeard && !disk.kind(of: directory).isShared  // not of other machines
  }

  /// The same for a link and what it leads to.
  func subscribe(_ hint: ChangeHint, toTargetOf link: String) -> Bool {
    if isSilent { return false }
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

  /// Raises `hint` no more.
  func unsubscribe(_ hint: ChangeHint) { lock.withLock { subscriptions.remove(hint) } }

  /// Adds watches.
  /// - Returns: false if the kernel refused.
  private func withPaths(
    _ body: (inout FeedPaths) throws(StorageError) -> Void
  ) -> Bool {
    lock.withLock {
      guard var paths = self.paths else { return false }
      // Taken out, so that changing it makes no copy.
      self.paths = nil
      defer { self.paths = paths }
      do throws(StorageError) {
        try body(&paths)
      } catch {
        note(error)
        if paths.isLost { lose() }
        return false
      }
      // Whoever subscribed while it was being lost is told, too.
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

  private func add(
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
        // For those who only wait for the directory: it came before the kernel watched it.
        if names?.isEmpty == true { hint.raise() }
      }
    } catch {
      guard error.isOfMissing, case .there(let watch) = standing else { throw error }
      subscriptions.add(hint, .nothing)
      if error.code == SystemCode.noSuchFile { return paths.lose() }
      // A file is in the directory's place, and a directory may replace it.
      try paths.expect(directory, watch)
    }
  }

  // -- Events

  /// Whether there is something to drain: for sets, of which each asks.
  @inline(__always)
  var hasEvents: Bool {
    if let lookout { return lookout.isRaised }
    return isAnythingUntold
  }

  /// Whether the kernel tells by a word of memory.
  var isWatchingMemory: Bool { lookout?.isWatchingMemory ?? false }

  /// Hands what is in the queue to those whom it concerns, if there is anything.
  func drain() {
    if isAnythingUntold { takeAll() }
  }

  /// Whether there is an event in the queue, or one that a thread has taken and has yet to hand on.
  // Ordering: as in `lookout.c`.
  private var isAnythingUntold: Bool {
    guard let file else { return false }
    if disk.hasEvents(file) { return true }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return isTelling.load(ordering: .acquiring)
  }

  /// The same for a caller that knows that there is something.
  func takeAll() {
    guard let file else { return }
    lock.withLock {
      // Whoever finds the queue empty meanwhile waits for this lock: what was taken is told then.
      isTelling.store(true, ordering: .sequentiallyConsistent)
      lookout?.beginTelling()
      defer {
        lookout?.endTelling()
        isTelling.store(false, ordering: .releasing)
      }
      for event in disk.events(file) {
        if paths?.isLoss(event) == true { return lose() }
        subscriptions.raise(for: event)
      }
    }
  }

  /// The lock must be held.
  // Ordering: releases what the loss is known from; whoever sees it looks at the files themselves.
  // With the lock held, relaxed loads are enough.
  private func lose() {
    isLost.store(true, ordering: .releasing)
    subscriptions.raiseAll()
  }

  // -- Waiting

  /// How often to look where the kernel does not report everything, in nanoseconds.
  static let pollInterval: Int64 = 100_000_000

  /// Waits until there may be something to drain, somebody calls `wake`, or so many nanoseconds
  /// have passed (nil: for ever).
  /// - Returns: false, at once, if the kernel reports nothing.
  func wait(atMost limit: Int64? = nil) -> Bool {
    guard let file else { return false }
    let (isWoken, canBeWoken) = lock.withLock { (self.isWoken, armWakeup(file)) }
    if !isWoken {
      disk.waitForEvents(file, atMost: canBeWoken ? limit : min(limit ?? .max, Self.pollInterval))
    }
    // Only now: whoever was woken looks, after this, at what was done before `wake`.
    lock.withLock { self.isWoken = false }
    return true
  }

  /// Has every subscriber turn to the next feed.
  func end() { lock.withLock { lose() } }

  /// Ends the wait, or the next one if nobody waits.
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
    // To remove a watch makes an event, and nobody else cares about this one.
    if let file, let wakeupWatch { disk.unwatch(wakeupWatch, with: file) }
    wakeupWatch = nil
  }
}
