import Foundation
import StrataStorage
import Synchronization

/// Posts to the notification center, avoiding two deadlocks in the toolchain's implementation.
///
/// For an observer on the main operation queue the center waits until that queue has run it, unless
/// it believes that it is on that queue already; and it only believes so on the main thread. Where
/// `main` is asynchronous, other threads serve the main queue, and a task of the main actor would
/// wait for itself. Such a task's notifications are posted next on the main queue instead.
///
/// And a fork leaves the center locked for ever if another thread of the parent was posting at that
/// moment. The child then posts nothing: observing would wait for the same lock.
enum Posting {
  // Ordering: what a fork copies is one moment of memory, and a child begins with one thread; these
  // counts and flags have nothing behind them.
  private static let inFlight = Atomic<Int>(0)
  private static let forks = Atomic<UInt32>(ProcessEvents.forks)
  private static let isDeadlocked = Atomic<Bool>(false)
  /// The main thread's number; 0 until it is known.
  private static let mainThread = Atomic<UInt>(0)

  /// Calls `post`, which is passed the object so that its closure captures nothing and needs no
  /// allocation.
  static func perform<Object: AnyObject & Sendable>(
    for object: Object, _ post: @escaping @Sendable (Object) -> Void
  ) {
    if isOnMainQueueOffMainThread {
      OperationQueue.main.addOperation { performNow(for: object, post) }
    } else {
      performNow(for: object, post)
    }
  }

  @inline(__always)
  private static func performNow<Object>(for object: Object, _ post: (Object) -> Void) {
    resetAfterFork()
    if isDeadlocked.load(ordering: .relaxed) { return }
    inFlight.wrappingAdd(1, ordering: .sequentiallyConsistent)
    post(object)
    inFlight.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  private static func resetAfterFork() {
    let now = ProcessEvents.forks
    if forks.load(ordering: .relaxed) == now { return }
    forks.store(now, ordering: .relaxed)
    isDeadlocked.store(inFlight.load(ordering: .relaxed) != 0, ordering: .relaxed)
    inFlight.store(0, ordering: .relaxed)
    mainThread.store(0, ordering: .relaxed)
  }

  /// Whether a thread other than the main one is running the main queue's work.
  private static var isOnMainQueueOffMainThread: Bool {
    if isCachedMainThread { return false }
    return DispatchQueue.getSpecific(key: mainQueueKey) != nil && !isMainThread
      && OperationQueue.current !== OperationQueue.main
  }

  /// Most programs set values on the main thread; this is faster than asking Dispatch.
  private static var isCachedMainThread: Bool {
    resetAfterFork()
    let known = mainThread.load(ordering: .relaxed)
    return known == 0 ? isMainThread : known == ThreadIdentity.current.number
  }

  /// Cached, since Foundation makes two system calls for each answer.
  private static var isMainThread: Bool {
    let isMain = Foundation.Thread.isMainThread
    let number = isMain ? ThreadIdentity.current.number : otherThread
    if isMain || mainThread.load(ordering: .relaxed) == 0 {
      mainThread.store(number, ordering: .relaxed)
    }
    return isMain
  }

  /// Stands for the main thread's number when another thread was the first to ask.
  private static let otherThread = UInt.max

  private static let mainQueueKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
}
