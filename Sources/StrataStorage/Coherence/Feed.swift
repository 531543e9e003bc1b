import Synchronization

/// What raises a suspicion that files were changed from outside.
final class Suspicion: Sendable {
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
final class Feed: @unchecked Sendable {
  // Safety: everything below is guarded by `lock`, but for `file`, which is constant.
  private let disk: any FileSystem
  private let lock = Lock(.feed)
  private let file: FileID?
  private let forks = ProcessEvents.forks
  // An array: a dictionary with keys of another type costs each process a search through all
  // conformances of all libraries.
  private var subscriptions: [Subscription] = []

  private struct Subscription {
    let watch: Int32
    /// Nil stands for every name.
    let names: [String]?
    weak var suspicion: Suspicion?
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

  /// Raises `suspicion` when one of `names` in `directory` changes, or (nil) any, or the directory
  /// itself.
  func subscribe(_ suspicion: Suspicion, to names: [String]?, in directory: String) -> Bool {
    lock.withLock {
      guard let file else { return false }
      do {
        let watch = try disk.watch(directory, with: file)
        subscriptions.removeAll {
          $0.suspicion == nil
            || $0.watch == watch && $0.suspicion === suspicion && $0.names == names
        }
        subscriptions.append(Subscription(watch: watch, names: names, suspicion: suspicion))
        return true
      } catch {
        return false
      }
    }
  }

  /// How much of what was asked for can be heard.
  enum Coverage: Hashable, Sendable {
    case directory
    /// The directory is missing: the next one above tells when it is made.
    case above
    case nothing
  }

  /// The same, and where the directory is missing, when it is made.
  func follow(_ suspicion: Suspicion, to names: [String]?, in directory: String) -> Coverage {
    if subscribe(suspicion, to: names, in: directory) { return .directory }
    do throws(StorageError) {
      guard directory != "/", try disk.status(of: directory) == nil else { return .nothing }
    } catch {
      return .nothing
    }
    let above = follow(
      suspicion, to: [Path.name(of: directory)], in: Path.directory(of: directory))
    return above == .nothing ? .nothing : .above
  }

  /// Hands what is in the queue to those whom it concerns.
  @inline(__always)
  func drain() {
    guard let file, disk.hasEvents(file) else { return }
    lock.withLock { distribute(disk.events(file)) }
  }

  /// Returns when there may be something to drain.
  func wait() { if let file { disk.waitForEvents(file) } }

  /// Makes whoever waits return.
  func stir() { if let file { disk.stir(file) } }

  private func distribute(_ events: [FileEvent]) {
    for event in events {
      for subscription in subscriptions
      where event.isOverflow
        || subscription.watch == event.watch
          && (event.name.isEmpty || subscription.names?.contains(event.name) != false)
      {
        subscription.suspicion?.raise()
      }
    }
  }
}
