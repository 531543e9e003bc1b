import StrataPropertyList
import StrataStorage

/// Reports how a domain's values differ from those seen at the previous look, in the order of
/// looks.
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

  /// Reports any difference. If another thread is reporting, it reports this difference, too, so
  /// that no thread waits and none reports out of order.
  ///
  /// Locking: `look` is called under the lock, so that differences are queued in the order of
  /// looks; `tell` is called without it.
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
