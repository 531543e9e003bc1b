import Synchronization

/// A hint: a flag that is raised when files may have been changed from outside.
///
/// Ordering: raising releases what happened before, and taking acquires it. A hint that is raised
/// again while it is taken stays raised, or is taken with all that is behind it.
final class ChangeHint: Sendable {
  private let raised = Atomic<Bool>(false)

  func raise() { raised.store(true, ordering: .releasing) }

  /// Lowers the hint. Returns whether it was raised since the last call.
  func take() -> Bool {
    // Loads first: an exchange each time would take the cache line from all other threads.
    raised.load(ordering: .acquiring) && raised.exchange(false, ordering: .acquiring)
  }

  var isRaised: Bool { raised.load(ordering: .acquiring) }
}
