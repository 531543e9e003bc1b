import CStrata
import Synchronization

/// Where one thread waits for another one.
final class Gate: Sendable {
  private let state = Atomic<Bool>(false)
  var isOpen: Bool { state.load(ordering: .acquiring) }
  func open() { state.store(true, ordering: .releasing) }
  func wait() { while !isOpen { strata_pause() } }
}
