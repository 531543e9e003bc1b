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
  private let ignoredOrigin: Origin?
  private let body: @Sendable (Observer, Change) -> Void
  private let warning: (@Sendable (Change) -> Void)?
  private let executor: (@Sendable (Observer) -> Void)?
  private let lock = Lock(.memory)
  private var currentKeys: [String]
  private let deliversInitial: Bool
  private let deliversRewrites: Bool
  private var lastValues: [PropertyListValue?] = []
  private var waiting: [Change] = []
  private var hasEnded = false
  private var deliveringThread: ThreadIdentity?
  private var depth = 0
  private var isUnderWay = false

  /// As many changes wait to be told one by one, if those who set are faster than who is told.
  package static let waitingMax = 1_000

  /// - Parameters:
  ///   - deliversInitial: the current values are delivered first.
  ///   - deliversRewrites: a change by others is delivered even if the value is what it was before,
  ///     for an observer that may have read the one in between.
  ///   - ignoredOrigin: changes of this origin are not delivered.
  ///   - warning: called before a change by this process, with what will be.
  ///   - executor: calls `deliverAll` where changes are to be delivered; those that are pending by
  ///     then are delivered as one. Without an executor, each is delivered where it was recorded.
  ///   - body: called with this observer, which may have ended by then, and a change.
  package init(
    _ keys: [String], deliversInitial: Bool = false, deliversRewrites: Bool = false,
    ignoring ignoredOrigin: Origin? = nil, warning: (@Sendable (Change) -> Void)? = nil,
    by executor: (@Sendable (Observer) -> Void)? = nil,
    telling body: @escaping @Sendable (Observer, Change) -> Void
  ) {
    currentKeys = keys
    self.deliversInitial = deliversInitial
    self.deliversRewrites = deliversRewrites
    self.ignoredOrigin = ignoredOrigin
    self.warning = warning
    self.executor = executor
    self.body = body
    warns = warning != nil
    hasOneKey = keys.count == 1
  }

  /// The same for what needs no time to be told.
  package convenience init(
    _ keys: [String], deliversInitial: Bool = false, deliversRewrites: Bool = false,
    ignoring ignoredOrigin: Origin? = nil, _ body: @escaping @Sendable (Change) -> Void
  ) {
    self.init(
      keys, deliversInitial: deliversInitial, deliversRewrites: deliversRewrites,
      ignoring: ignoredOrigin,
      telling: { body($1) })
  }

  package var keys: [String] { lock.withLock { currentKeys } }

  package var isEnded: Bool { lock.withLock { hasEnded } }

  /// From here on, other values than these are told; the first time by this thread.
  func begin(with values: [PropertyListValue?]) {
    lock.withLock {
      lastValues = values
      guard deliversInitial else { return }
      waiting = [Self.first(values)]
      if executor == nil { deliveringThread = .current }
    }
  }

  /// The same for other keys, while it is being told.
  func go(on keys: [String], with values: [PropertyListValue?]) {
    lock.withLock {
      currentKeys = keys
      lastValues = values
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
      let old = lastValues
      if hasEnded || values == old && !(areTouched && deliversRewrites) { return !waiting.isEmpty }
      lastValues = values
      if origin == ignoredOrigin {
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
    if last.old == change.new, !last.isFirst, !deliversRewrites { return }
    waiting.append(
      Change(old: last.old, new: change.new, origin: change.origin, isFirst: last.isFirst))
  }

  private func isOne(_ last: Change, _ next: Change) -> Bool {
    executor != nil || last.origin == .elsewhere && next.origin == .elsewhere
      || waiting.count >= Self.waitingMax
  }

  func warn(of change: Change) {
    if change.origin == ignoredOrigin || isEnded { return }
    warning?(change)
  }

  func tell() {
    guard let executor else { return deliverHere() }
    let mustGo = lock.withLock {
      if waiting.isEmpty || hasEnded || isUnderWay { return false }
      isUnderWay = true
      return true
    }
    if mustGo { executor(self) }
  }

  /// Delivers all pending changes. To be called by the executor.
  package func deliverAll() { while let change = take() { body(self, change) } }

  /// The next pending change, for an executor that delivers by itself; nil when none is left.
  package func take() -> Change? {
    lock.withLock {
      if !hasEnded, !waiting.isEmpty { return waiting.removeFirst() }
      isUnderWay = false
      return nil
    }
  }

  private func deliverHere() {
    while let change = next() {
      body(self, change)
      lock.withLock {
        depth -= 1
        if depth == 0 { deliveringThread = nil }
      }
    }
  }

  /// Nil when there is nothing to tell, or another thread is at it.
  private func next() -> Change? {
    lock.withLock {
      guard !hasEnded, !waiting.isEmpty, deliveringThread == nil || deliveringThread == .current
      else { return nil }
      deliveringThread = .current
      depth += 1
      return waiting.removeFirst()
    }
  }
}
