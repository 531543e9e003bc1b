import CStrata
import Synchronization

/// What the stores of one process share: the disk, the feed of outside changes, the flusher, and
/// the knowledge which stores are open.
///
/// Programs have one, `current`. Tests make several over one disk: each behaves as a process.
package final class StorageProcess: @unchecked Sendable {
  // Safety: constants, and state that the two locks below guard.
  static let current = StorageProcess(on: SystemFileSystem(), isAutomatic: true)

  /// To be set before any store is opened, by a program that ends in a moment: it asks the files
  /// for edits instead of the kernel, which takes milliseconds to end such a subscription, and
  /// flushes itself, without a thread.
  // Safety: set before there is a second thread, and a constant from then on.
  nonisolated(unsafe) package static var isBrief = false

  let disk: any FileSystem
  /// Whether a thread flushes; tests that count calls do it by hand.
  let isAutomatic: Bool
  let flusher: Flusher
  let watcher: Watcher

  // Safety: guarded by `lock`.
  private var stores: [WeakStore] = []
  // Arrays: the first dictionary has a process search the conformances of all libraries.
  private var lockOwners: [LockOwner] = []
  private var epochs: [JournalEpoch] = []
  private var currentFeed: Feed
  private let hasNotedShared = Atomic<Bool>(false)
  /// Those that have files open, in the order in which they opened them.
  private var storesWithFiles: [WeakStore] = []

  // Locking: it comes before the stores' locks.
  private let lock = Lock(.process)
  // Guards the others, which stores ask for under their own lock.
  private let partsLock = Lock(.parts)

  private struct WeakStore { weak var store: Store? }

  init(on disk: any FileSystem, isAutomatic: Bool) {
    self.disk = disk
    self.isAutomatic = isAutomatic
    currentFeed = Feed(on: disk, isDisabled: isAutomatic && Self.isBrief)
    flusher = Flusher(on: disk)
    watcher = Watcher(on: disk) { line in if isAutomatic { Log.write(line) } }
    if isAutomatic { Self.registerOnce }
  }

  var feed: Feed {
    partsLock.withLock {
      if currentFeed.isStale {
        currentFeed = Feed(
          on: disk, insteadOf: currentFeed, isDisabled: isAutomatic && Self.isBrief)
      }
      return currentFeed
    }
  }

  /// The one store of these paths in this process.
  func store(at paths: StorePaths, rules: StoreRules = StoreRules()) -> Store {
    if let store = lock.withLock({ openStore(at: paths) }) { return store }
    // Without the lock: the answer may be a server's.
    let placed = paths.placed(on: disk)
    return lock.withLock {
      if let store = openStore(at: paths) { return store }
      let store = Store(at: placed, in: self, rules: rules)
      stores.removeAll { $0.store == nil }
      stores.append(WeakStore(store: store))
      return store
    }
  }

  private func openStore(at paths: StorePaths) -> Store? {
    stores.lazy.compactMap(\.store).first { $0.paths == paths }
  }

  var openStores: [Store] { lock.withLock { stores.compactMap(\.store) } }

  /// This process's place among the writers of a directory, taken anew if `stale` is what it had.
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

  /// The same where the directory's files are now.
  func lockOwnerInPlace(for paths: StorePaths) throws(StorageError) -> LockOwner {
    let known = try lockOwner(for: paths, insteadOf: nil)
    return try isInPlace(known, for: paths)
      ? known : lockOwner(for: paths, insteadOf: known)
  }

  func isInPlace(_ lockOwner: LockOwner, for paths: StorePaths) throws(StorageError) -> Bool {
    guard let status = try disk.status(of: paths.lockFile) else { return false }
    return status.isSameFile(as: lockOwner.status)
  }

  /// The word that tells of new journals in a directory; nil where none can be shared.
  func epoch(for paths: StorePaths) -> JournalEpoch? {
    partsLock.withLock {
      let known = epochs.firstIndex { Path.isSame($0.path, paths.lockFile) }
      if let known, !epochs[known].isReplaced(paths, on: disk) { return epochs[known] }
      do throws(StorageError) {
        let new = try JournalEpoch(paths, on: disk)
        if let known { epochs[known] = new } else { epochs.append(new) }
        return new
      } catch {
        return nil
      }
    }
  }

  /// Notes that a store opens files; where too many have, another one gives back its own.
  func admit(_ store: Store) {
    let most = disk.openStoresMax
    var candidates = partsLock.withLock {
      storesWithFiles.removeAll { $0.store == nil || $0.store === store }
      storesWithFiles.append(WeakStore(store: store))
      return storesWithFiles.count > most
        ? storesWithFiles.prefix(Self.candidatesMax).compactMap(\.store) : []
    }
    while let candidate = candidates.popLast() {
      let isResting = candidate.rest()
      let isEnough = partsLock.withLock {
        storesWithFiles.removeAll { $0.store === candidate }
        if !isResting { storesWithFiles.append(WeakStore(store: candidate)) }
        return storesWithFiles.count <= most
      }
      if isEnough { break }
    }
  }

  /// Says, once, what is different where other machines may share the files.
  func noteShared(_ paths: StorePaths) {
    guard isAutomatic, !Self.isBrief, let place = paths.place,
      !hasNotedShared.exchange(true, ordering: .relaxed)
    else { return }
    Log.writeLater(
      "\(paths.directory) is in a file system of type \(place.kind), which other machines may "
        + "share: programs of this machine share what is set through \(place.path), "
        + "others see it once it is in the property list, and of two machines the last one counts")
  }

  /// Has the others give back their files, where there is none left to open.
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

  /// So many are asked, each of which may have something to do.
  private static let candidatesMax = 8

  // -- At the end

  private static let registerOnce: Void = {
    ProcessEvents.onExit {
      StorageProcess.current.flushAll()
      Log.drain()
    }
  }()

  /// Brings everything that is pending to the plist files: at a normal exit.
  ///
  /// In a child of a fork another thread does it, and is waited for no longer than a while: a lock
  /// of Swift's runtime that some thread of the parent held at that moment stays locked there for
  /// ever. What is not flushed is in the journals.
  func flushAll() {
    if ProcessEvents.forks == 0 { return flushPending() }
    let end = strata_coarse_now() + Self.childPatience
    let alarm = Alarm()
    let start = alarm.ticket
    let hasThread = disk.startThread { [self] in
      flushPending()
      alarm.wake()
    }
    while hasThread, alarm.ticket == start, strata_coarse_now() < end {
      alarm.sleep(start, atMost: end - strata_coarse_now())
    }
  }

  private static let childPatience: Int64 = 3_000_000_000

  private func flushPending() {
    for store in openStores where store.mayHavePending { store.flush() }
  }
}
