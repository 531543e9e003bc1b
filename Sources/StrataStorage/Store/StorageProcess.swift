import CStrata
import Synchronization

/// What the stores of one process share: the disk, the feed of outside changes, the flusher, the
/// watcher, and the list of open stores.
///
/// A program has one, `current`. Tests make several over one disk, each of which behaves like a
/// process of its own.
package final class StorageProcess: @unchecked Sendable {
  // Safety: constants, and state that the two locks below guard.
  static let current = StorageProcess(on: SystemFileSystem(), isAutomatic: true)

  /// To be set before any store is opened, by a program that ends in a moment: it then looks for
  /// edits itself instead of asking the kernel, which takes milliseconds to end an inotify
  /// subscription, and flushes without a thread.
  // Safety: set before there is a second thread, and a constant from then on.
  nonisolated(unsafe) package static var isBrief = false

  let disk: any FileSystem
  /// Whether a thread flushes; tests that count calls flush by hand.
  let isAutomatic: Bool
  /// Whether the process ends in a moment: then its reads make nothing, and look at the files again
  /// where nothing else can tell.
  let isShort: Bool
  let flusher: Flusher
  let watcher: Watcher

  // Safety: the open stores are guarded by `lock`; what follows them by `partsLock`, or it is
  // atomic.
  /// The store that was opened last, from which a chain leads to all others: an array would cost a
  /// process's first read what the one in `KnownKinds` did.
  private var latest: WeakStore?
  private var count = 0
  /// With how many stores those are forgotten that have ended.
  private var sweepAt = StorageProcess.sweepMin
  private static let sweepMin = 64
  // Arrays: a process's first dictionary of a type searches the conformances of all libraries.
  private var lockOwners: [LockOwner] = []
  private var epochs: [JournalEpoch] = []
  private var currentFeed: Feed
  private var feedMode: FeedMode
  /// How often stores have looked at their files because the feed reports nothing.
  private let looks = Atomic<Int>(0)
  private let hasNotedShared = Atomic<Bool>(false)
  /// The stores that have files open, in the order in which they opened them.
  private var storesWithFiles: [WeakStore] = []

  // Locking: it is taken before any store's lock.
  private let lock = Lock(.process)
  // Locking: guards what stores ask for while they hold their own lock, so it ranks after that.
  private let partsLock = Lock(.parts)

  // An object, like all that is kept in arrays before a process has run for long: the array of a
  // struct is a type that the runtime has to make, which takes a tenth of a millisecond.
  private final class WeakStore {
    weak var store: Store?
    /// Both are compared first: each load of a weak reference costs some atomic steps.
    let identity: ObjectIdentifier
    let pathHash: UInt64
    /// The one that was opened before it.
    var earlier: WeakStore?

    init(_ store: Store) {
      self.store = store
      identity = ObjectIdentifier(store)
      pathHash = Self.hash(of: store.paths)
    }

    static func hash(of paths: StorePaths) -> UInt64 { HashedKey.with(paths.plist, \.hash) }

    func isOf(_ store: Store) -> Bool { identity == ObjectIdentifier(store) }
  }

  init(on disk: any FileSystem, isAutomatic: Bool, feedMode: FeedMode? = nil) {
    self.disk = disk
    self.isAutomatic = isAutomatic
    let mode = feedMode ?? (!isAutomatic ? .kernelEvents : Self.isBrief ? .never : .later)
    self.feedMode = mode
    isShort = mode == .never
    currentFeed = Feed(on: disk, mode)
    flusher = Flusher(on: disk)
    watcher = Watcher(on: disk) { line in if isAutomatic { Log.write(line) } }
    if isAutomatic { Self.registerOnce }
  }

  var feed: Feed {
    partsLock.withLock {
      if currentFeed.isStale {
        currentFeed = Feed(on: disk, insteadOf: currentFeed, feedMode)
      }
      return currentFeed
    }
  }

  /// Notes that a store looks at its files because the feed reports nothing: a process that does so
  /// again and again has the kernel report changes from now on.
  // Ordering: a count that nothing is behind; as `hasNotedShared`, it only has to move once.
  func noteLook() {
    if looks.wrappingAdd(1, ordering: .relaxed).newValue == Self.looksMax { useKernelEvents() }
  }

  static let looksMax = 100

  /// Has the kernel report changes, unless it never does in this process.
  func useKernelEvents() {
    partsLock.withLock {
      guard feedMode == .later else { return }
      feedMode = .kernelEvents
      currentFeed.end()
    }
  }

  /// This process's one store for these paths.
  func store(at paths: StorePaths, rules: StoreRules = StoreRules()) -> Store {
    if let store = lock.withLock({ openStore(at: paths) }) { return store }
    // Not under the lock: on a network file system this may have to wait for a server.
    let placed = paths.placed(on: disk)
    return lock.withLock {
      if let store = openStore(at: paths) { return store }
      let store = Store(at: placed, in: self, rules: rules)
      if count >= sweepAt {
        sweep()
        sweepAt = max(Self.sweepMin, 2 * count)
      }
      add(WeakStore(store))
      return store
    }
  }

  private func add(_ one: WeakStore) {
    one.earlier = latest
    latest = one
    count += 1
  }

  private func sweep() {
    var kept: WeakStore?
    var next = latest
    (latest, count) = (nil, 0)
    while let one = next {
      next = one.earlier
      if one.store == nil { continue }
      if let kept { kept.earlier = one } else { latest = one }
      kept = one
      count += 1
    }
    kept?.earlier = nil
  }

  private func openStore(at paths: StorePaths) -> Store? {
    let hash = WeakStore.hash(of: paths)
    var next = latest
    while let one = next {
      if one.pathHash == hash, let store = one.store, store.paths == paths { return store }
      next = one.earlier
    }
    return nil
  }

  /// In the order in which they were opened.
  var openStores: [Store] {
    lock.withLock {
      var stores: [Store] = []
      var next = latest
      while let one = next {
        if let store = one.store { stores.append(store) }
        next = one.earlier
      }
      return stores.reversed()
    }
  }

  /// This process's lock owner for a directory, made anew if the known one is `stale` or was the
  /// parent's before a fork.
  func lockOwner(for paths: StorePaths, insteadOf stale: LockOwner?) throws(StorageError)
    -> LockOwner
  {
    partsLock.lock()
    defer { partsLock.unlock() }
    let known = lockOwners.firstIndex { Path.isSame($0.path, paths.lockFile) }
    if let known, lockOwners[known] !== stale, !lockOwners[known].isStale {
      return lockOwners[known]
    }
    let lockOwner = try LockOwner(paths, on: disk)
    if let known { lockOwners[known] = lockOwner } else { lockOwners.append(lockOwner) }
    return lockOwner
  }

  /// The same, made anew also if another lock file has the name now.
  func lockOwnerInPlace(for paths: StorePaths) throws(StorageError) -> LockOwner {
    let known = try lockOwner(for: paths, insteadOf: nil)
    return try isInPlace(known, for: paths)
      ? known : lockOwner(for: paths, insteadOf: known)
  }

  func isInPlace(_ lockOwner: LockOwner, for paths: StorePaths) throws(StorageError) -> Bool {
    guard let status = try disk.status(of: paths.lockFile) else { return false }
    return status.isSameFile(as: lockOwner.status)
  }

  /// The word that tells of new journals in a directory; nil where it can't be shared.
  func epoch(for paths: StorePaths) -> JournalEpoch? {
    epoch(at: paths.lockFile, making: paths.fileMode)
  }

  /// The word of the directory around it; nil if that has none, or if the domain's hidden directory
  /// is elsewhere.
  func epoch(around paths: StorePaths) -> JournalEpoch? {
    paths.machinePlace == nil ? epoch(at: paths.around.lockFile, making: nil) : nil
  }

  /// The word that tells of new directories beside this one of a user's; nil where there is none.
  func epoch(around directory: String) -> JournalEpoch? {
    let around = StorePaths(identifier: "", in: Path.directory(of: directory)).placed(on: disk)
    if around.machinePlace != nil { return nil }
    if let known = epoch(at: around.lockFile, making: nil) { return known }
    if isShort { return nil }
    DomainDirectories(around, on: disk).make(isReading: true)
    return epoch(for: around)
  }

  private func epoch(at path: String, making mode: UInt32?) -> JournalEpoch? {
    do throws(StorageError) {
      return try openEpoch(at: path, making: mode)
    } catch {
      return nil
    }
  }

  private func openEpoch(
    at path: String, making mode: UInt32?
  ) throws(StorageError) -> JournalEpoch {
    try partsLock.withLock { () throws(StorageError) in
      let known = epochs.firstIndex { Path.isSame($0.path, path) }
      if let known, !epochs[known].isReplaced(on: disk) { return epochs[known] }
      let new = try JournalEpoch(at: path, making: mode, on: disk)
      if let known { epochs[known] = new } else { epochs.append(new) }
      return new
    }
  }

  /// Has those look for a journal who know of none in this directory, or of no directory.
  /// - Returns: false if somebody could not be reached, as without a free descriptor.
  func announceJournal(of paths: StorePaths) -> Bool {
    let own = moveEpoch(at: paths.lockFile, making: paths.fileMode)
    let isAlone = paths.machinePlace != nil
    return (isAlone || moveEpoch(at: paths.around.lockFile, making: nil)) && own
  }

  private func moveEpoch(at path: String, making mode: UInt32?) -> Bool {
    do throws(StorageError) {
      try openEpoch(at: path, making: mode).add()
      return true
    } catch {
      return !error.isOfMoment
    }
  }

  /// Notes that a store opens files. If too many have some open, some of those that opened theirs
  /// first are asked to give them back.
  func admit(_ store: Store) {
    for candidate in partsLock.withLock({ candidates(afterAdmitting: store) }) {
      let isResting = candidate.rest()
      let isEnough = partsLock.withLock {
        storesWithFiles.removeAll { $0.isOf(candidate) }
        if !isResting { storesWithFiles.append(WeakStore(candidate)) }
        return disk.hasRoom(forStores: storesWithFiles.count)
      }
      if isEnough { break }
    }
  }

  /// Those that are asked, if too many have files open. The lock must be held.
  private func candidates(afterAdmitting store: Store) -> [Store] {
    if !storesWithFiles.isEmpty { storesWithFiles.removeAll { $0.isOf(store) } }
    storesWithFiles.append(WeakStore(store))
    if disk.hasRoom(forStores: storesWithFiles.count) { return [] }
    // Those that have ended have given back theirs.
    if storesWithFiles[0].store == nil { storesWithFiles.removeAll { $0.store == nil } }
    if disk.hasRoom(forStores: storesWithFiles.count) { return [] }
    return storesWithFiles.prefix(Self.candidatesMax).compactMap(\.store)
  }

  /// Logs, once, what differs where other machines may share the files.
  func noteShared(_ paths: StorePaths) {
    guard isAutomatic, !Self.isBrief, let place = paths.machinePlace,
      !hasNotedShared.exchange(true, ordering: .relaxed)
    else { return }
    Log.writeLater(
      "\(paths.directory) is in a file system of type \(place.kind), which other machines may "
        + "share: programs of this machine share what is set through \(place.path), "
        + "others see it once it is in the property list, and of two machines the last one counts")
  }

  /// Has the other stores give back their files, when this one can open no more.
  /// - Returns: whether any did.
  func restOthers(than store: Store) -> Bool {
    let others = partsLock.withLock { storesWithFiles.compactMap(\.store) }.filter { $0 !== store }
    let resting = others.filter { $0.rest() }
    partsLock.withLock {
      storesWithFiles.removeAll { one in resting.contains { $0 === one.store } }
    }
    RetiredObjects.sweep()
    return !resting.isEmpty
  }

  /// How many stores `admit` asks: each of them may be in use.
  private static let candidatesMax = 8

  // -- At the end

  private static let registerOnce: Void = {
    ProcessEvents.onExit {
      StorageProcess.current.flushAll()
      Log.drain()
    }
  }()

  /// Writes everything that is pending to the plist files, at a normal exit.
  ///
  /// In a child of `fork` another thread does that, and is waited for only so long: a lock of
  /// Swift's runtime that a thread of the parent held at the fork stays locked in the child for
  /// ever. What is not flushed stays in the journals.
  func flushAll() {
    if ProcessEvents.forks == 0 { return flushPending(waitingAtMost: disk.flushPatience) }
    let end = strata_coarse_now() + Self.childPatience
    let alarm = Alarm()
    let start = alarm.ticket
    let hasThread = disk.startThread { [self] in
      flushPending(waitingAtMost: Self.childPatience / 4)
      alarm.wake()
    }
    while hasThread, alarm.ticket == start, strata_coarse_now() < end {
      alarm.sleep(start, atMost: end - strata_coarse_now())
    }
  }

  private static let childPatience: Int64 = 3_000_000_000

  private func flushPending(waitingAtMost patience: Int64) {
    for store in openStores where store.mayHavePending {
      store.flushOrSynchronize(waitingAtMost: patience)
    }
  }
}
