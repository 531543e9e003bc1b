import Synchronization

/// A flag that says that files may have been changed from outside.
final class ChangeHint: Sendable {
  private let raised = Atomic<Bool>(false)

  func raise() { raised.store(true, ordering: .releasing) }

  /// Whether it was raised since it was last asked.
  func take() -> Bool {
    raised.load(ordering: .acquiring) && raised.exchange(false, ordering: .acquiring)
  }

  var isRaised: Bool { raised.load(ordering: .acquiring) }
}

/// This process's queue of the changes that anyone makes in the directories of its stores.
///
/// The kernel adds an entry before the changing call returns. A set that looks here first thus
/// knows of every edit that was complete before it, whatever the clocks say, for one short call.
///
/// A feed only ever listens to more. When a path may lead elsewhere by now, since a step of the way
/// to it lost its name or was made, the whole feed is lost: everyone is told to look, and before
/// that listens to the next feed.
final class Feed: @unchecked Sendable {
  // Safety: all below is guarded by `lock`, but for `file`, which is constant, and what is atomic.
  private let disk: any FileSystem
  private let lock = Lock(.feed)
  private let file: FileID?
  private let forks = ProcessEvents.forks
  private let isLost = Atomic<Bool>(false)
  /// Whether it takes the place of one that was lost: what is found on the way may be about to go.
  private let isNext: Bool
  private let isDisabled: Bool
  // Arrays: a dictionary with keys of another type costs each process a search through all
  // conformances of all libraries.
  private var subscriptions: [Subscription] = []
  private var steps: [Step] = []
  private var directories: [Listening] = []
  /// Paths of which the directory around tells when they are made, removed or moved.
  private var expected: [Listening] = []
  /// What is given up to have whoever waits return: that works also when no watch can be had.
  private var wakeupWatch: Int32?
  private var isWoken = false
  private var lacksWatches = false

  private struct Subscription {
    // Apart, since each copy of a weak reference is an entry in the runtime's tables.
    let filter: Filter
    weak var hint: ChangeHint?
  }

  private struct Filter: Equatable {
    /// Nil while the directory is missing.
    let watch: Int32?
    /// Nil stands for every name.
    let names: [String]?
    let interest: FileInterest

    @inline(__always)
    func lets(_ event: FileEvent) -> Bool {
      watch == event.watch && (interest != .names || event.kind != .change)
        && (event.name.isEmpty || names?.contains(event.name) != false)
    }
  }

  private struct Listening {
    let path: String
    let watch: Int32
    let interest: FileInterest
  }

  /// A directory or link on the way to what is followed.
  private struct Step {
    let path: String
    let standing: Standing
  }

  private enum Standing {
    /// The kernel tells if it loses its name.
    case there(watch: Int32)
    /// It, or one above it, is not there; the kernel tells when it is made.
    case missing
    /// This user may not ask the kernel.
    case unheard
  }

  /// - Parameter isDisabled: asks the kernel for nothing.
  init(on disk: any FileSystem, insteadOf old: Feed? = nil, isDisabled: Bool = false) {
    self.disk = disk
    self.isDisabled = isDisabled
    isNext = old?.isLost.load(ordering: .acquiring) ?? false
    do { file = isDisabled ? nil : try disk.makeFeed() } catch { file = nil }
    if let file { disk.keepFromChildren(file) }
  }

  deinit { if let file, forks == ProcessEvents.forks { disk.closeKept(file) } }

  /// Whether another one is to be listened to: this was lost, or is the parent's, or the kernel had
  /// none to give.
  var isStale: Bool {
    forks != ProcessEvents.forks || isLost.load(ordering: .acquiring) || file == nil && !isDisabled
  }

  /// Raises `hint` when one of `names` in `directory` changes, or (nil) any, and when its path
  /// may lead to another directory; where it is missing, when it is made. If there are no `names`,
  /// at once where it is there.
  ///
  /// - Parameters:
  ///   - interest: what is asked of the kernel; it may tell more, where others ask for more.
  ///   - isHeld: whether a process may have a file of the directory mapped: then the kernel tells
  ///     not of the directory that it was removed, but of the one around it.
  /// - Returns: whether all that can be heard.
  func follow(
    _ hint: ChangeHint, to names: [String]?, in directory: String,
    for interest: FileInterest = .changes, isHeld: Bool = false
  ) -> Bool {
    let isHeard = lock.withLock {
      guard let file else { return false }
      subscriptions.removeAll { $0.hint == nil }
      do throws(StorageError) {
        try listen(hint, to: names, in: directory, for: interest, isHeld, file)
      } catch {
        note(error)
        return false
      }
      // Whoever asked while it was being lost is told, too.
      if isLost.load(ordering: .relaxed) {
        lose()
        triggerWakeup(file)
      }
      return true
    }
    return isHeard && !disk.kind(of: directory).isShared  // of other machines nothing is told
  }

  /// The same for what a link leads to, and for the link.
  func follow(_ hint: ChangeHint, toTargetOf link: String) -> Bool {
    do throws(StorageError) {
      var target = link
      for _ in 0..<Path.linksMax {
        guard let next = try disk.destination(of: target) else {
          if target == link { return true }
          return follow(hint, to: [Path.name(of: target)], in: Path.directory(of: target))
        }
        try lock.withLock { () throws(StorageError) in try enter(link: target) }
        target = next
      }
    } catch {
      // It is not heard where that leads.
      lock.withLock { note(error) }
    }
    return false
  }

  /// Raises `hint` for nothing that happens from now on.
  func forget(_ hint: ChangeHint) {
    lock.withLock { subscriptions.removeAll { $0.hint === hint } }
  }

  /// What whoever runs the machine can do where not all is heard.
  var remedy: String? {
    if file == nil {
      return isDisabled ? nil : "raise fs.inotify.max_user_instances, or the limit of open files"
    }
    return lock.withLock { lacksWatches } ? "raise fs.inotify.max_user_watches" : nil
  }

  /// Hands what is in the queue to those whom it concerns.
  @inline(__always)
  func drain() {
    if hasEvents { takeAll() }
  }

  /// The same for whoever knows that something is there.
  func takeAll() {
    guard let file else { return }
    lock.withLock { distribute(disk.events(file)) }
  }

  /// Whether there is something to drain.
  @inline(__always)
  var hasEvents: Bool { file.map { disk.hasEvents($0) } ?? false }

  /// How often those look who can't hear: in nanoseconds.
  static let pollInterval: Int64 = 100_000_000

  /// Returns when there may be something to drain, or somebody stirs, or (nil stands for never)
  /// after so many nanoseconds.
  /// - Returns: false at once when the kernel tells nothing.
  func wait(atMost limit: Int64? = nil) -> Bool {
    guard let file else { return false }
    let (isWoken, hasWakeup) = lock.withLock { (self.isWoken, armWakeup(file)) }
    if !isWoken {
      disk.waitForEvents(file, atMost: hasWakeup ? limit : min(limit ?? .max, Self.pollInterval))
    }
    // What was done before `wake` is looked at after this.
    lock.withLock { self.isWoken = false }
    return true
  }

  /// Makes whoever waits return, or whoever waits next.
  func wake() { if let file { lock.withLock { triggerWakeup(file) } } }

  // -- With the lock held

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

  private func triggerWakeup(_ file: FileID) {
    isWoken = true
    // That a watch is gone is an event; this one's is of interest to nobody else.
    if let wakeupWatch { disk.unwatch(wakeupWatch, with: file) }
    wakeupWatch = nil
  }

  private func note(_ error: StorageError) {
    if error.isOfShortage { lacksWatches = true }
  }

  private func listen(
    _ hint: ChangeHint, to names: [String]?, in directory: String,
    for interest: FileInterest, _ isHeld: Bool, _ file: FileID
  ) throws(StorageError) {
    let standing = try enter(directory, file)
    do throws(StorageError) {
      switch standing {
      case .missing:
        subscribe(hint, to: nil, nil)
        if isHeld, isNext { try expectAll(above: directory, file) }
      case .there(let watch):
        if isHeld { try expect(directory, watch, file) }
        fallthrough
      case .unheard:
        subscribe(hint, to: names, try watch(directory, for: interest, file), for: interest)
        // It came before the kernel listened to whoever waits for it alone.
        if names?.isEmpty == true { hint.raise() }
      }
    } catch {
      guard error.isOfMissing, case .there(let watch) = standing else { throw error }
      subscribe(hint, to: nil, nil)
      if error.code == SystemCode.noSuchFile { return lose() }
      // A file is in the directory's place, and may be replaced by one.
      try expect(directory, watch, file)
    }
  }

  private func distribute(_ events: [FileEvent]) {
    for event in events {
      if isLoss(event) { return lose() }
      for index in subscriptions.indices where subscriptions[index].filter.lets(event) {
        subscriptions[index].hint?.raise()
      }
    }
  }

  private func isLoss(_ event: FileEvent) -> Bool {
    switch event.kind {
    case .change: false
    case .name:
      expected.contains {
        $0.watch == event.watch && Path.isSame(Path.name(of: $0.path), event.name)
      }
    case .gone: isWatched(event.watch)
    case .overflow: true
    }
  }

  private func isWatched(_ watch: Int32) -> Bool {
    directories.contains { $0.watch == watch } || expected.contains { $0.watch == watch }
      || steps.contains { if case .there(watch) = $0.standing { true } else { false } }
  }

  private func lose() {
    isLost.store(true, ordering: .releasing)
    for subscription in subscriptions { subscription.hint?.raise() }
  }

  private func subscribe(
    _ hint: ChangeHint, to names: [String]?, _ watch: Int32?,
    for interest: FileInterest = .changes
  ) {
    let filter = Filter(watch: watch, names: names, interest: interest)
    if subscriptions.contains(where: { $0.filter == filter && $0.hint === hint }) {
      return
    }
    subscriptions.append(Subscription(filter: filter, hint: hint))
  }

  private func watch(
    _ directory: String, for interest: FileInterest, _ file: FileID
  ) throws(StorageError) -> Int32 {
    let known = directories.first {
      $0.interest == interest && Path.isSame($0.path, directory)
    }
    if let known { return known.watch }
    let watch = try disk.watch(directory, for: interest, with: file)
    directories.append(Listening(path: directory, watch: watch, interest: interest))
    return watch
  }

  // -- The way

  /// Listens to each step of the way to a directory or link, from the root down: what is exchanged
  /// meanwhile is heard of.
  private func enter(
    _ path: String, _ file: FileID, links: Int = 0
  ) throws(StorageError) -> Standing {
    if let known = steps.first(where: { Path.isSame($0.path, path) }) { return known.standing }
    if path == "/" || path == "." || links > Path.linksMax { return .unheard }
    if case .missing = try enter(Path.directory(of: path), file, links: links) { return .missing }
    let standing: Standing
    do throws(StorageError) {
      standing = try step(to: path, file, links)
    } catch {
      if error.isOfShortage { throw error }  // that may be over when it is next asked
      standing = .unheard
    }
    steps.append(Step(path: path, standing: standing))
    return standing
  }

  /// The file that a link leads to is not entered: its directory tells of it.
  private func enter(link: String) throws(StorageError) {
    guard let file, !steps.contains(where: { Path.isSame($0.path, link) }) else { return }
    _ = try enter(Path.directory(of: link), file)
    do throws(StorageError) {
      guard let watch = try watchItself(link, file) else { return lose() }
      steps.append(Step(path: link, standing: .there(watch: watch)))
    } catch {
      if error.isOfShortage { throw error }
      steps.append(Step(path: link, standing: .unheard))
    }
  }

  private func step(
    to path: String, _ file: FileID, _ links: Int
  ) throws(StorageError) -> Standing {
    do throws(StorageError) {
      return .there(watch: try disk.watch(path, for: .directory, with: file))
    } catch {
      if !error.isOfMissing { throw error }
    }
    // A link, a file, or nothing.
    guard let watch = try watchItself(path, file) else {
      try expect(path, nil, file)
      return .missing
    }
    if let target = try disk.destination(of: path),
      case .missing = try enter(target, file, links: links + 1)
    {
      return .missing
    }
    return .there(watch: watch)
  }

  /// Nil when there is nothing.
  private func watchItself(_ path: String, _ file: FileID) throws(StorageError) -> Int32? {
    do throws(StorageError) {
      return try disk.watch(path, for: .itself, with: file)
    } catch {
      if error.isOfMissing { return nil }
      throw error
    }
  }

  /// Listens to the directory around for this name to be made, removed or moved.
  /// - Parameter known: what the name stands for; if that is no longer so, the feed is lost.
  private func expect(
    _ path: String, _ known: Int32?, _ file: FileID
  ) throws(StorageError) {
    if expected.contains(where: { Path.isSame($0.path, path) }) { return }
    let around: Int32
    do throws(StorageError) {
      around = try disk.watch(Path.directory(of: path), for: .names, with: file)
    } catch {
      // A file is where a directory is to be: it is watched itself.
      if error.isOfMissing { return }
      throw error
    }
    if try watchItself(path, file) != known { lose() }
    expected.append(Listening(path: path, watch: around, interest: .names))
  }

  private func expectAll(above path: String, _ file: FileID) throws(StorageError) {
    for step in steps where path.utf8.starts(with: (step.path + "/").utf8) {
      if case .there(let watch) = step.standing { try expect(step.path, watch, file) }
    }
  }
}
