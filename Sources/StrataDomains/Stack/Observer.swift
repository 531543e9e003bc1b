package import StrataPropertyList
import StrataStorage

/// One who is told of the effective value of one key.
///
/// What happened and what was told are apart: whoever finds another value notes it, and then tells,
/// unless another thread is telling this observer at that moment and will tell this too. So no
/// observer hears of two changes at once or in the wrong order, and none waits for another.
package final class Observer: @unchecked Sendable {
  /// A change as an observer hears it.
  package struct Change: Sendable {
    package let old: PropertyListValue?
    package let new: PropertyListValue?
    /// Whether this process made it.
    package let isLocal: Bool
  }

  // Safety: constants, and state that the lock guards.
  package let key: String
  private let body: @Sendable (Change) -> Void
  private let lock = Lock(.memory)
  private var noted: PropertyListValue?
  private var told: PropertyListValue?
  private var isLocal = true
  private var isEnded = false
  private var teller: ThreadIdentity?
  private var depth = 0

  init(_ key: String, _ value: PropertyListValue?, _ body: @escaping @Sendable (Change) -> Void) {
    self.key = key
    self.body = body
    noted = value
    told = value
  }

  /// No call begins after this.
  package func end() { lock.withLock { isEnded = true } }

  /// - Returns: whether there is something to tell.
  func note(_ value: PropertyListValue?, isLocal: Bool) -> Bool {
    lock.withLock {
      if value == noted { return noted != told }
      noted = value
      self.isLocal = isLocal
      return noted != told
    }
  }

  func tell() {
    while let change = begin() {
      body(change)
      lock.withLock {
        depth -= 1
        if depth == 0 { teller = nil }
      }
    }
  }

  /// Nil when there is nothing to tell, or another thread is at it.
  private func begin() -> Change? {
    lock.withLock {
      guard !isEnded, noted != told, teller == nil || teller == .current else { return nil }
      teller = .current
      depth += 1
      defer { told = noted }
      return Change(old: told, new: noted, isLocal: isLocal)
    }
  }
}
