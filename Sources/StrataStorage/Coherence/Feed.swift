import Synchronization

/// What raises a suspicion that files were changed from outside.
final class Suspicion: Sendable {
  private let raised = Atomic<Bool>(false)
  private let astray = Atomic<Bool>(false)

  func raise() { raised.store(true, ordering: .releasing) }

  /// The same where the path may by now lead to another directory than the one that is followed.
  func raiseAstray() {
    astray.store(true, ordering: .releasing)
    raise()
  }

  /// Whether it was raised since it was last asked.
  func take() -> Bool {
    raised.load(ordering: .acquiring) && raised.exchange(false, ordering: .acquiring)
  }

  /// Whether what is followed must be found anew.
  func takeAstray() -> Bool {
    astray.load(ordering: .acquiring) && astray.exchange(false, ordering: .acquiring)
  }

  var isRaised: Bool { raised.load(ordering: .acquiring) }
}

/// This process's queue of the changes that anyone makes in the directories of its stores.
///
/// The kernel adds an entry before the changing call returns. A set that looks here first thus
/// knows of every edit that was complete before it, whatever the clocks say, for one short call.
final class Feed: @unchecked Sendable {
  // Safety: everything below is guarded by `lock`, but for `file`, which is constant.
  private let disk: any FileSystem
  private let lock = Lock(.feed)
  private let file: FileID?
  private let forks = ProcessEvents.forks
  // An array: a dictionary with keys of another type costs each process a search through all
  // conformances of all libraries.
  private var subscriptions: [Subscription] = []
  /// On the way to the directories: each directory and link above them, which only tells when it
  /// loses its name.
  private var ways: [(watch: Int32, path: String)] = []
  private var knownWays: [String] = []

  private struct Subscription {
    let watch: Int32
    /// Nil stands for every name.
    let names: [String]?
    /// Whether these names are on the way to what is followed.
    let isWay: Bool
    weak var suspicion: Suspicion?
  }

  /// Names in a directory that are followed; nil stands for every one.
  struct Target {
    let names: [String]?
    let directory: String
    /// What leads to the directory, where that is not its own path.
    let link: String?
    /// Whether this process may have a file of the directory mapped.
    let isHeld: Bool

    init(
      _ names: [String]?, in directory: String, by link: String? = nil, isHeld: Bool = false
    ) {
      self.isHeld = isHeld
      self.names = names
      self.directory = directory
      self.link = link
    }

    /// The name of a directory, in the one around it.
    static func toward(_ path: String, isHeld: Bool = false) -> Target {
      Target([Path.name(of: path)], in: Path.directory(of: path), isHeld: isHeld)
    }
  }

  /// - Parameter isDeaf: asks the kernel for nothing.
  init(on disk: any FileSystem, isDeaf: Bool = false) {
    self.disk = disk
    do { file = isDeaf ? nil : try disk.makeFeed() } catch { file = nil }
    if let file { disk.keepFromChildren(file) }
  }

  deinit { if let file, forks == ProcessEvents.forks { disk.closeKept(file) } }

  /// Whether this is the parent's: a child has its own.
  var isStale: Bool { forks != ProcessEvents.forks }

  /// How much of what was asked for can be heard.
  enum Coverage: Hashable, Sendable {
    case directory
    /// The directory is missing: the next one above tells when it is made.
    case above
    case nothing
  }

  /// Raises `suspicion` from now on when one of these names changes, or a directory itself; where
  /// that is missing, when it is made. What was followed for it before is not any more.
  ///
  /// When the path to a directory may lead to another one, the suspicion is raised as astray: to
  /// follow anew is then up to whoever asked for it.
  func follow(_ suspicion: Suspicion, to targets: [Target]) -> [Coverage] {
    lock.withLock {
      guard let file else { return targets.map { _ in .nothing } }
      var coverage: [Coverage] = []
      var before: [Int32] = []
      // What changed while the way was being found is found at the next turn, or told.
      for _ in 0..<Self.turnsMax {
        let count = subscriptions.count
        addWays(suspicion, among: targets, file)
        coverage = targets.map { follow(suspicion, $0, file) }
        let added = Array(subscriptions[count...])
        let old = subscriptions[..<count]
        subscriptions = old.filter { $0.suspicion != nil && $0.suspicion !== suspicion } + added
        end(old.map(\.watch), file)
        if !coverage.contains(.above) || added.map(\.watch) == before { break }
        before = added.map(\.watch)
      }
      return coverage
    }
  }

  private static let turnsMax = 8

  /// A directory that something in it keeps in use, such as a file that is mapped, does not tell
  /// that it was removed. Where the one around it is followed, too, that one tells, and before it
  /// is itself removed.
  private func addWays(_ suspicion: Suspicion, among targets: [Target], _ file: FileID) {
    for target in targets {
      let above = Path.directory(of: target.directory)
      guard targets.contains(where: { $0.directory.utf8.elementsEqual(above.utf8) }) else {
        continue
      }
      do throws(StorageError) {
        try subscribe(suspicion, .toward(target.directory), isWay: true, file)
      } catch {
        // That directory is a target, for which the same is found out.
      }
    }
  }

  private func follow(
    _ suspicion: Suspicion, _ target: Target, _ file: FileID
  ) -> Coverage {
    do throws(StorageError) {
      try subscribe(suspicion, target, isWay: false, file)
      return .directory
    } catch {
      guard error.isOfMissing, wait(for: target, suspicion, file) else { return .nothing }
    }
    do throws(StorageError) {
      // It may have been made before those above were listened to.
      try subscribe(suspicion, target, isWay: false, file)
      return .directory
    } catch {
      return .above
    }
  }

  /// Waits for the nearest step of the way that is missing; where the directory may be held, for
  /// each: what is found there may be about to be removed, and would not tell it.
  /// - Returns: whether the last one that is there can be heard.
  private func wait(for target: Target, _ suspicion: Suspicion, _ file: FileID) -> Bool {
    if target.directory == "/" || target.directory == "." { return false }
    let above = Target.toward(target.directory, isHeld: target.isHeld)
    let isHeard = target.isHeld && wait(for: above, suspicion, file)
    do throws(StorageError) {
      try subscribe(suspicion, above, isWay: true, file)
      return true
    } catch {
      guard error.isOfMissing else { return false }
      return target.isHeld ? isHeard : wait(for: above, suspicion, file)
    }
  }

  private func subscribe(
    _ suspicion: Suspicion, _ target: Target, isWay: Bool, _ file: FileID
  ) throws(StorageError) {
    // From the root down, and the directory last: what is exchanged in between is heard of.
    for path in [target.link, target.directory] {
      if let path { listen(alongTheWayTo: path, file) }
    }
    let watch = try disk.watch(target.directory, with: file)
    subscriptions.append(
      Subscription(watch: watch, names: target.names, isWay: isWay, suspicion: suspicion))
  }

  /// No event of a directory tells that one above it was moved away, or that a link was bent.
  private func listen(alongTheWayTo path: String, _ file: FileID) {
    if path == "/" || path == "." { return }
    if knownWays.contains(where: { $0.utf8.elementsEqual(path.utf8) }) { return }
    listen(alongTheWayTo: Path.directory(of: path), file)
    do throws(StorageError) {
      let watch = try disk.watchName(path, isAlone: false, with: file)
      if !isWay(watch) { ways.append((watch, path)) }
      knownWays.append(path)
      let target = try disk.resolve(path)
      if !target.utf8.elementsEqual(path.utf8) { listen(alongTheWayTo: target, file) }
    } catch {
      // What this user can't read is taken for what stays; what is missing is waited for.
      if error.code != SystemCode.noSuchFile { knownWays.append(path) }
    }
  }

  /// Ends watches that nobody needs any more.
  private func end(_ watches: [Int32], _ file: FileID) {
    for watch in Set(watches) where !subscriptions.contains(where: { $0.watch == watch }) {
      // The name of a directory on the way is still of interest, and nothing in it any more.
      guard let way = ways.first(where: { $0.watch == watch }) else {
        disk.endWatch(watch, with: file)
        continue
      }
      do throws(StorageError) {
        if try disk.watchName(way.path, isAlone: true, with: file) != watch { loseWay() }
      } catch {
        loseWay()
      }
    }
  }

  private func isWay(_ watch: Int32) -> Bool { ways.contains { $0.watch == watch } }

  /// Hands what is in the queue to those whom it concerns.
  @inline(__always)
  func drain() {
    guard let file, disk.hasEvents(file) else { return }
    lock.withLock { distribute(disk.events(file)) }
  }

  /// Whether there is something to drain.
  var hasEvents: Bool { file.map { disk.hasEvents($0) } ?? false }

  /// Returns when there may be something to drain.
  func wait() { if let file { disk.waitForEvents(file) } }

  /// Makes whoever waits return.
  func stir() { if let file { disk.stir(file) } }

  private func distribute(_ events: [FileEvent]) {
    for event in events {
      var isWayLost = event.isOverflow || event.isGone && isWay(event.watch)
      for subscription in subscriptions
      where subscription.watch == event.watch
        && (event.name.isEmpty || subscription.names?.contains(event.name) != false)
      {
        subscription.suspicion?.raise()
        if subscription.isWay || event.isGone { isWayLost = true }
      }
      if isWayLost { loseWay() }
    }
  }

  /// That a directory lost its name concerns all: it may be above any of them, by whatever link.
  private func loseWay() {
    for subscription in subscriptions { subscription.suspicion?.raiseAstray() }
    let old = ways
    ways = []
    knownWays = []
    if let file { end(old.map(\.watch), file) }
  }
}
