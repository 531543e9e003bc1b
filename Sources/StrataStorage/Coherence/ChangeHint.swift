import Synchronization

/// A flag that says that files may have been changed from outside.
final class ChangeHint: Sendable {
  private let raised = Atomic<Bool>(false)

  func raise() { raised.store(true, ordering: .releasing) }

  /// Whether it was raised since it was last asked.
  func take() -> Bool {
    raised.load(ordering: .acquiring) && raised.exchange(false, ordering: .acquiring)
  }

  var isRaised: Bool { raised.load(ordering: .acquiring) }
}
