package import StrataPropertyList
import StrataStorage

/// One who is told of the effective value of one key.
///
/// What happened and what was told are apart: whoever finds another value notes it, and then tells,
/// unless another thread is telling this observer at that moment and will tell this too. So no
/// observer hears of two changes at once or in the wrong order, and none waits for another.
// Safety: constants, and state that the lock guards.
package final class Observer: @unchecked Sendable {
  /// A change as an observer hears it.
  package struct Change: Sendable {
    package let old: PropertyListValue?
    package let new: PropertyListValue?
    package let origin: Origin

    package init(old: PropertyListValue?, new: PropertyListValue?, origin: Origin) {
      self.old = old
      self.new = new
      self.origin = origin
    }
  }

  /// Who made a change.
  package enum Origin: Hashable, Sendable {
    /// This process, by this object.
    case here(ObjectIdentifier)
    /// Another process, a person with an editor, an administrator.
    case elsewhere
  }

  package let key: String
  let warns: Bool
  private let deaf: Origin?
  private let body: @Sendable (Change) -> Void
  private let warning: (@Sendable (Change) -> Void)?
  private let lock = Lock(.memory)
  private var noted: PropertyListValue?
  private var told: PropertyListValue?
  private var origin = Origin.elsewhere
  private var isEnded = false
  private var teller: ThreadIdentity?
  private var depth = 0

  /// - Parameters:
  ///   - deaf: changes of this origin are not told.
  ///   - warning: called before a change by this process, with what will be.
  package init(
    _ key: String, deafTo deaf: Origin? = nil, warning: (@Sendable (Change) -> Void)? = nil,
    _ body: @escaping @Sendable (Change) -> Void
  ) {
    self.key = key
    self.deaf = deaf
    self.warning = warning
    self.body = body
    warns = warning != nil
  }

  /// From here on, other values than this one are told.
  func begin(with value: PropertyListValue?) {
    lock.withLock {
      noted = value
      told = value
    }
  }

  /// No call begins after this.
  func end() { lock.withLock { isEnded = true } }

  /// - Returns: whether there is something to tell.
  func note(_ value: PropertyListValue?, by origin: Origin) -> Bool {
    lock.withLock {
      if value != noted {
        if noted == told, origin == deaf { told = value }
        noted = value
        self.origin = origin
      }
      return noted != told
    }
  }

  func warn(of change: Change) {
    if change.origin == deaf || lock.withLock({ isEnded }) { return }
    warning?(change)
  }

  func tell() {
    while let change = next() {
      body(change)
      lock.withLock {
        depth -= 1
        if depth == 0 { teller = nil }
      }
    }
  }

  /// Nil when there is nothing to tell, or another thread is at it.
  private func next() -> Change? {
    lock.withLock {
      guard !isEnded, noted != told, teller == nil || teller == .current else { return nil }
      teller = .current
      depth += 1
      defer { told = noted }
      return Change(old: told, new: noted, origin: origin)
    }
  }
}
