import StrataPropertyList
import StrataStorage

/// Tells in what the values of one domain are others than at the last look, in the order of looks.
final class ChangeReporter: @unchecked Sendable {
  // Safety: constants, and state that the lock guards.
  private let look: @Sendable () -> [String: PropertyListValue]
  private let tell: @Sendable (Difference) -> Void
  private var known: [String: PropertyListValue]
  private var waiting: [Difference] = []
  private var isTelling = false
  private let lock = Lock(.observers)

  init(
    from known: [String: PropertyListValue],
    _ look: @escaping @Sendable () -> [String: PropertyListValue],
    _ tell: @escaping @Sendable (Difference) -> Void
  ) {
    self.known = known
    self.look = look
    self.tell = tell
  }

  /// Where another thread is telling, that one tells this, too: nobody waits, and nothing is told
  /// before what was seen earlier.
  ///
  /// Locking: the look is under the lock, so that what is told later was seen later; nobody is
  /// called under it.
  func check() {
    lock.withLock {
      let now = look()
      let difference = Difference(from: known, to: now)
      known = now
      if !difference.isEmpty { waiting.append(difference) }
    }
    while let difference = next() {
      tell(difference)
      lock.withLock { isTelling = false }
    }
  }

  private func next() -> Difference? {
    lock.withLock {
      guard !isTelling, !waiting.isEmpty else { return nil }
      isTelling = true
      return waiting.removeFirst()
    }
  }
}
