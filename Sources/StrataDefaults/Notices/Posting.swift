import StrataStorage
import Synchronization

/// Posts to the notification center, which a fork can leave locked for ever: when another thread of
/// the parent was posting at that moment. Then the child posts no more; nobody could hear it.
enum Posting {
  private static let inFlight = Atomic<Int>(0)
  private static let forks = Atomic<UInt32>(ProcessEvents.forks)
  private static let isLost = Atomic<Bool>(false)

  static func perform(_ body: () -> Void) {
    let now = ProcessEvents.forks
    if forks.load(ordering: .relaxed) != now {
      forks.store(now, ordering: .relaxed)
      isLost.store(inFlight.load(ordering: .relaxed) != 0, ordering: .relaxed)
      inFlight.store(0, ordering: .relaxed)
    }
    if isLost.load(ordering: .relaxed) { return }
    inFlight.wrappingAdd(1, ordering: .sequentiallyConsistent)
    body()
    inFlight.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }
}
