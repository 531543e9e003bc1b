/// The thread that waits for changes from outside on behalf of watched stores: there is one while
/// something is watched, and it sleeps in the kernel.
///
/// Locking: its lock is taken with no other held, and nothing else is taken while it is held.
final class Watcher: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var stores: [ObjectIdentifier: (store: Store, suspicion: Suspicion)] = [:]
  private var feed: Feed?
  private var isRunning = false
  private var forks = ProcessEvents.forks

  private let lock = Lock(.thread)
  private let alarm = Alarm()
  private let disk: any FileSystem

  private static let secondLook: Int64 = 30_000_000

  init(on disk: any FileSystem) { self.disk = disk }

  /// Tells `store` of everything that happens to its files.
  func add(_ store: Store) {
    let suspicion = Suspicion()
    let mustStart = lock.withLock {
      if forks != ProcessEvents.forks { forgetParent() }
      let feed = self.feed ?? Feed(on: disk)
      self.feed = feed
      stores[ObjectIdentifier(store)] = (store, suspicion)
      let paths = store.paths
      _ = feed.subscribe(suspicion, to: [paths.name, ".strata"], in: paths.directory)
      _ = feed.subscribe(suspicion, to: [paths.journalName, "wake"], in: paths.hidden)
      defer { isRunning = true }
      return !isRunning
    }
    guard mustStart, !Thread.start({ [self] in run() }) else { return }
    lock.withLock { isRunning = false }
  }

  func remove(_ store: Store) {
    _ = lock.withLock { stores.removeValue(forKey: ObjectIdentifier(store)) }
    disk.touch(store.paths.wake)
  }

  private func run() {
    while let feed = current() {
      feed.wait()
      feed.drain()
      for store in suspected() where store.deliver() {
        alarm.sleep(alarm.ticket, atMost: Self.secondLook)
        store.deliver()
      }
    }
  }

  /// The feed to wait on; nil when nothing is watched any more, and the thread is done.
  private func current() -> Feed? {
    lock.withLock {
      if stores.isEmpty {
        feed = nil
        isRunning = false
      }
      return feed
    }
  }

  private func suspected() -> [Store] {
    lock.withLock { stores.values.filter { $0.suspicion.take() }.map(\.store) }
  }

  /// A child watches nothing of what its parent did: the thread is the parent's.
  private func forgetParent() {
    forks = ProcessEvents.forks
    stores.removeAll()
    feed = nil
    isRunning = false
  }

}
