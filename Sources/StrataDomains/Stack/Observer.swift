package import StrataPropertyList
import StrataStorage

/// One who is told of the effective values of some keys.
///
/// What happened and what is told are apart: whoever finds another value notes it, and then tells,
/// unless another thread is telling this observer at that moment and will tell this too. So no
/// observer hears of two changes at once or in the wrong order, and none waits for another.
///
/// Each change by this process is told by itself, changes by others as one while they wait.
// Safety: constants, and state that the lock guards.
package final class Observer: @unchecked Sendable {
  /// A change as an observer hears it, with a value for each of its keys.
  package struct Change: Sendable {
    package let old: [PropertyListValue?]
    package let new: [PropertyListValue?]
    package let origin: Origin
    /// Whether nothing changed yet: this is what there was when the observer began.
    package let isFirst: Bool

    package init(
      old: [PropertyListValue?], new: [PropertyListValue?], origin: Origin, isFirst: Bool = false
    ) {
      self.old = old
      self.new = new
      self.origin = origin
      self.isFirst = isFirst
    }
  }

  /// Who made a change.
  package enum Origin: Hashable, Sendable {
    /// This process, by this object.
    case here(ObjectIdentifier)
    /// Another process, a person with an editor, an administrator.
    case elsewhere
  }

  let warns: Bool
  /// For ever; one that moves begins with none.
  let hasOneKey: Bool
  private let deaf: Origin?
  private let body: @Sendable (Observer, Change) -> Void
  private let warning: (@Sendable (Change) -> Void)?
  private let courier: (@Sendable (Observer) -> Void)?
  private let lock = Lock(.memory)
  private var currentKeys: [String]
  private let tellsFirst: Bool
  private let tellsTouches: Bool
  private var noted: [PropertyListValue?] = []
  private var waiting: [Change] = []
  private var hasEnded = false
  private var teller: ThreadIdentity?
  private var depth = 0
  private var isUnderWay = false

  /// As many changes wait to be told one by one, if those who set are faster than who is told.
  package static let waitingMax = 1_000

  /// - Parameters:
  ///   - tellsFirst: what there is at the beginning is told before anything else.
  ///   - tellsTouches: what others changed is told also where it is what it was before: for whoever
  ///     may have read the one in between.
  ///   - deaf: changes of this origin are not told.
  ///   - warning: called before a change by this process, with what will be.
  ///   - courier: goes where all is to be told, and has `tellAll` called there: what waits
  ///     meanwhile is told as one. Without one, each is told where it is noted.
  ///   - body: called with this observer, which may have ended by then, and a change.
  package init(
    _ keys: [String], tellsFirst: Bool = false, tellsTouches: Bool = false,
    deafTo deaf: Origin? = nil, warning: (@Sendable (Change) -> Void)? = nil,
    by courier: (@Sendable (Observer) -> Void)? = nil,
    telling body: @escaping @Sendable (Observer, Change) -> Void
  ) {
    currentKeys = keys
    self.tellsFirst = tellsFirst
    self.tellsTouches = tellsTouches
    self.deaf = deaf
    self.warning = warning
    self.courier = courier
    self.body = body
    warns = warning != nil
    hasOneKey = keys.count == 1
  }

  /// The same for what needs no time to be told.
  package convenience init(
    _ keys: [String], tellsFirst: Bool = false, tellsTouches: Bool = false,
    deafTo deaf: Origin? = nil, _ body: @escaping @Sendable (Change) -> Void
  ) {
    self.init(
      keys, tellsFirst: tellsFirst, tellsTouches: tellsTouches, deafTo: deaf,
      telling: { body($1) })
  }

  package var keys: [String] { lock.withLock { currentKeys } }

  package var isEnded: Bool { lock.withLock { hasEnded } }

  /// From here on, other values than these are told; the first time by this thread.
  func begin(with values: [PropertyListValue?]) {
    lock.withLock {
      noted = values
      guard tellsFirst else { return }
      waiting = [Self.first(values)]
      if courier == nil { teller = .current }
    }
  }

  /// The same for other keys, while it is being told.
  func go(on keys: [String], with values: [PropertyListValue?]) {
    lock.withLock {
      currentKeys = keys
      noted = values
      waiting.removeAll()
    }
  }

  /// No call begins after this.
  func end() { lock.withLock { hasEnded = true } }

  /// - Parameters:
  ///   - values: those of all keys.
  ///   - areTouched: whether others are known to have set them, to whatever.
  /// - Returns: whether there is something to tell.
  func note(
    _ values: [PropertyListValue?], by origin: Origin, areTouched: Bool = false
  ) -> Bool {
    lock.withLock {
      let old = noted
      if hasEnded || values == old && !(areTouched && tellsTouches) { return !waiting.isEmpty }
      noted = values
      if origin == deaf {
        // Whoever is not told of this one would take what it hears next for the value now.
        waiting = waiting.first?.isFirst == true ? [Self.first(values)] : []
      } else {
        wait(Change(old: old, new: values, origin: origin))
      }
      return !waiting.isEmpty
    }
  }

  private static func first(_ values: [PropertyListValue?]) -> Change {
    Change(old: values, new: values, origin: .elsewhere, isFirst: true)
  }

  private func wait(_ change: Change) {
    guard let last = waiting.last, isOne(last, change) else { return waiting.append(change) }
    waiting.removeLast()
    if last.old == change.new, !last.isFirst, !tellsTouches { return }
    waiting.append(
      Change(old: last.old, new: change.new, origin: change.origin, isFirst: last.isFirst))
  }

  private func isOne(_ last: Change, _ next: Change) -> Bool {
    courier != nil || last.origin == .elsewhere && next.origin == .elsewhere
      || waiting.count >= Self.waitingMax
  }

  func warn(of change: Change) {
    if change.origin == deaf || isEnded { return }
    warning?(change)
  }

  func tell() {
    guard let courier else { return tellHere() }
    let mustGo = lock.withLock {
      if waiting.isEmpty || hasEnded || isUnderWay { return false }
      isUnderWay = true
      return true
    }
    if mustGo { courier(self) }
  }

  /// To be called by the courier: tells all that waits.
  package func tellAll() { while let change = take() { body(self, change) } }

  /// The same for a courier that tells by itself; nil when nothing is left.
  package func take() -> Change? {
    lock.withLock {
      if !hasEnded, !waiting.isEmpty { return waiting.removeFirst() }
      isUnderWay = false
      return nil
    }
  }

  private func tellHere() {
    while let change = next() {
      body(self, change)
      lock.withLock {
        depth -= 1
        if depth == 0 { teller = nil }
      }
    }
  }

  /// Nil when there is nothing to tell, or another thread is at it.
  private func next() -> Change? {
    lock.withLock {
      guard !hasEnded, !waiting.isEmpty, teller == nil || teller == .current else { return nil }
      teller = .current
      depth += 1
      return waiting.removeFirst()
    }
  }
}
