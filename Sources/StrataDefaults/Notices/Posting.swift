import Foundation
import StrataStorage
import Synchronization

/// Posts to the notification center, around two traps of the toolchain's.
///
/// An observer on the main operation queue has the center wait for that queue, unless it is there
/// already; and it takes itself to be there only on the main thread. In a program whose `main` is
/// asynchronous other threads serve the main queue, so that tasks of the main actor would wait for
/// themselves: what these post comes next on the main queue.
///
/// And a fork can leave the center locked for ever, when another thread of the parent was posting
/// at that moment. Then the child posts no more; nobody could hear it.
enum Posting {
  /// After so many posts it is worth the time to find out whether anybody may hear the next: the
  /// trial takes as long as some 30 posts of a processor that slept.
  static let countOfTrial = 32

  private static let count = Atomic<Int>(0)
  private static let inFlight = Atomic<Int>(0)
  private static let forks = Atomic<UInt32>(ProcessEvents.forks)
  private static let isLost = Atomic<Bool>(false)
  /// Its number, once it was asked for; 0 until then.
  private static let mainThread = Atomic<UInt>(0)

  /// Has `post` do so; it is given the object so that it captures none, which would take memory.
  static func perform(
    for defaults: UserDefaults, _ post: @escaping @Sendable (UserDefaults) -> Void
  ) {
    if count.load(ordering: .relaxed) >= countOfTrial, Audience.ofDefault.isEmpty { return }
    if isOnMainQueueOnly {
      OperationQueue.main.addOperation { performHere(for: defaults, post) }
    } else {
      performHere(for: defaults, post)
    }
  }

  @inline(__always)
  private static func performHere(for defaults: UserDefaults, _ post: (UserDefaults) -> Void) {
    forgetParent()
    if isLost.load(ordering: .relaxed) { return }
    count.wrappingAdd(1, ordering: .relaxed)
    inFlight.wrappingAdd(1, ordering: .sequentiallyConsistent)
    post(defaults)
    inFlight.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  /// Posts a notification that has this object.
  ///
  /// The center asks the object's identity by a bridging cast, which takes a box of a class four
  /// times as long as one of `AnyObject`. Who is told sees no difference.
  static func post(_ name: Notification.Name, of defaults: UserDefaults) {
    NotificationCenter.default.post(name: name, object: box(defaults as AnyObject))
  }

  @inline(never)
  private static func box<Value>(_ value: Value) -> Any { value }

  private static func forgetParent() {
    let now = ProcessEvents.forks
    if forks.load(ordering: .relaxed) == now { return }
    forks.store(now, ordering: .relaxed)
    isLost.store(inFlight.load(ordering: .relaxed) != 0, ordering: .relaxed)
    inFlight.store(0, ordering: .relaxed)
    mainThread.store(0, ordering: .relaxed)
  }

  /// Whether another thread than the main one runs what the main queue has.
  private static var isOnMainQueueOnly: Bool {
    if isKnownMainThread { return false }
    return DispatchQueue.getSpecific(key: mainQueueKey) != nil && !isMainThread
      && OperationQueue.current !== OperationQueue.main
  }

  /// Most programs set where they begin; to ask Dispatch takes longer.
  private static var isKnownMainThread: Bool {
    forgetParent()
    let known = mainThread.load(ordering: .relaxed)
    return known == 0 ? isMainThread : known == ThreadIdentity.current.number
  }

  /// Foundation asks the kernel twice for each answer.
  private static var isMainThread: Bool {
    let isMain = Foundation.Thread.isMainThread
    let number = isMain ? ThreadIdentity.current.number : otherThread
    if isMain || mainThread.load(ordering: .relaxed) == 0 {
      mainThread.store(number, ordering: .relaxed)
    }
    return isMain
  }

  /// Instead of the main thread's number where another one was the first to ask.
  private static let otherThread = UInt.max

  private static let mainQueueKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
}
