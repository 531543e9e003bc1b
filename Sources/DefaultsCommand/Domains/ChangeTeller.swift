import StrataPropertyList
import StrataStorage

/// Tells in what the values of one domain are others than at the last look.
final class ChangeTeller: @unchecked Sendable {
  // Safety: constants, and the values, which the lock guards.
  private let look: @Sendable () -> [String: PropertyListValue]
  private let tell: @Sendable (Difference) -> Void
  private var known: [String: PropertyListValue]
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

  /// Locking: the look is under the lock, so that what is told later was seen later.
  func check() {
    let difference = lock.withLock {
      let now = look()
      defer { known = now }
      return Difference(from: known, to: now)
    }
    if !difference.isEmpty { tell(difference) }
  }
}
