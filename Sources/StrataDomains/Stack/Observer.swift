package import StrataPropertyList
import StrataStorage

/// An observer of the effective values of some keys.
///
/// Recording a change and delivering it are separate steps: a thread that finds a new value records
/// it and then delivers it, unless another thread is delivering to this observer and will deliver
/// this change as well. So no observer is called for two changes at once or out of order, and no
/// thread waits for another.
///
/// Each change by this process is delivered separately; pending changes by others are merged.
// Safety: constants, and state that the lock guards.
package final class Observer: @unchecked Sendable {
  /// A change as it is delivered, with a value for each of the observer's keys.
  package struct Change: Sendable {
    package let old: [PropertyListValue?]
    package let new: [PropertyListValue?]
    package let origin: Origin
    /// Whether this delivers initial values rather than a change.
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
  package enum Origin: Equatable, Sendable {
    /// This process, by this object.
    case here(ObjectIdentifier)
    /// Another process, a person with an editor, or an administrator.
    case elsewhere
  }

  /// The state of delivery.
  ///
  /// Locking: guarded by `lock`. Any thread may enter `scheduled` and `ended`; only the delivering
  /// thread leaves `delivering`, and only the executor's deliveries leave `scheduled`.
  private enum Phase: Equatable {
    /// No thread is delivering: the next call of `notify` will.
    case idle
    /// The executor was called and has not found `pending` empty since. Only with an executor.
    case scheduled
    /// A thread is delivering, in `depth` nested calls of `body`, which may itself make changes; 0
    /// if the initial values are about to be delivered. Other threads leave their changes in
    /// `pending`. Only without an executor.
    case delivering(on: ThreadIdentity, depth: Int)
    /// No call of `body` begins any more. Final.
    case ended
  }

  /// A change that has yet to be delivered.
  private struct Pending {
    let change: Change
    /// The thread that has made the change and is about to deliver it, before its setter returns.
    /// No thread takes it away that has made none, until this one finds that it would have to wait.
    var owner: ThreadIdentity?
  }

  let notifiesPrior: Bool
  // Locking: of the `ObserverList`, which alone replaces the keys, and asks this for each change.
  private(set) var hasOneKey: Bool
  /// Whether this observes every key: its only value is the dictionary of all values.
  let observesAllKeys: Bool
  private let ignoredOrigin: Origin?
  private let body: @Sendable (Observer, Change) -> Void
  private let prior: (@Sendable (Change) -> Void)?
  private let executor: (@Sendable (Observer) -> Void)?
  private let lock = Lock(.memory)
  private var currentKeys: [String]
  private let deliversInitial: Bool
  private let deliversRewrites: Bool
  private var lastValues: [PropertyListValue?] = []
  private var pending: [Pending] = []
  private var phase = Phase.idle

  /// The maximum number of pending changes by this process that are kept apart; more are merged.
  package static let pendingMax = 1_000

  /// - Parameters:
  ///   - deliversInitial: whether the current values are delivered first.
  ///   - deliversRewrites: whether a change by others is delivered even if the value is the same
  ///     again, for an observer that may have read the value in between.
  ///   - ignoredOrigin: changes with this origin are not delivered.
  ///   - prior: called before a change by this process, with the values to come.
  ///   - executor: arranges a call of `deliverAll`; changes that are pending by then are delivered
  ///     as one. Without an executor, `notify` delivers each change itself.
  ///   - body: called with a change and this observer, which may have ended by then.
  package init(
    _ keys: [String], ofAllKeys: Bool = false, deliversInitial: Bool = false,
    deliversRewrites: Bool = false, ignoring ignoredOrigin: Origin? = nil,
    prior: (@Sendable (Change) -> Void)? = nil,
    by executor: (@Sendable (Observer) -> Void)? = nil,
    onChange body: @escaping @Sendable (Observer, Change) -> Void
  ) {
    currentKeys = keys
    self.deliversInitial = deliversInitial
    self.deliversRewrites = deliversRewrites
    self.ignoredOrigin = ignoredOrigin
    self.prior = prior
    self.executor = executor
    self.body = body
    notifiesPrior = prior != nil
    hasOneKey = keys.count == 1
    observesAllKeys = ofAllKeys
  }

  /// An observer whose body does not need to know whether it has ended.
  package convenience init(
    _ keys: [String], deliversInitial: Bool = false, deliversRewrites: Bool = false,
    ignoring ignoredOrigin: Origin? = nil, _ body: @escaping @Sendable (Change) -> Void
  ) {
    self.init(
      keys, deliversInitial: deliversInitial, deliversRewrites: deliversRewrites,
      ignoring: ignoredOrigin, onChange: { body($1) })
  }

  /// An observer of every key, whose only value is a dictionary of the values of all.
  package static func ofAllKeys(
    deliversInitial: Bool, _ body: @escaping @Sendable (Change) -> Void
  ) -> Observer {
    Observer([], ofAllKeys: true, deliversInitial: deliversInitial, onChange: { body($1) })
  }

  package var keys: [String] { lock.withLock { currentKeys } }

  package var isEnded: Bool { lock.withLock { phase == .ended } }

  /// Starts with these values: from now on, other values are changes. If these are to be delivered
  /// first, this thread is marked as delivering, so that no other delivers anything newer before
  /// them.
  func start(with values: [PropertyListValue?]) {
    lock.withLock {
      lastValues = values
      guard deliversInitial, phase != .ended else { return }
      pending = [Pending(change: Self.initial(values))]
      if executor == nil { phase = .delivering(on: .current, depth: 0) }
    }
  }

  /// Starts again with other keys. To be called by `body`.
  func restart(on keys: [String], with values: [PropertyListValue?]) {
    hasOneKey = keys.count == 1
    lock.withLock {
      currentKeys = keys
      lastValues = values
      pending.removeAll()
    }
  }

  /// No call begins after this.
  func end() { lock.withLock { phase = .ended } }

  /// Records the values of all keys, as they are now.
  /// - Parameter areTouched: whether others are known to have set the keys, to any value.
  /// - Returns: whether a change is pending.
  func record(
    _ values: [PropertyListValue?], by origin: Origin, areTouched: Bool = false
  ) -> Bool {
    lock.withLock {
      let old = lastValues
      if phase == .ended || values == old && !(areTouched && deliversRewrites) {
        return !pending.isEmpty
      }
      lastValues = values
      if origin == ignoredOrigin {
        // This change is not delivered, so an older pending one would be taken for the value now.
        let isFirst = pending.first?.change.isFirst == true
        pending = isFirst ? [Pending(change: Self.initial(values))] : []
      } else {
        enqueue(Change(old: old, new: values, origin: origin))
      }
      return !pending.isEmpty
    }
  }

  private static func initial(_ values: [PropertyListValue?]) -> Change {
    Change(old: values, new: values, origin: .elsewhere, isFirst: true)
  }

  private func enqueue(_ change: Change) {
    guard let last = pending.last, canMerge(last.change, change) else {
      let isOwned = executor == nil && change.origin != .elsewhere
      return pending.append(Pending(change: change, owner: isOwned ? .current : nil))
    }
    pending.removeLast()
    if last.change.old == change.new, !last.change.isFirst, !deliversRewrites { return }
    let merged = Change(
      old: last.change.old, new: change.new, origin: change.origin, isFirst: last.change.isFirst)
    pending.append(Pending(change: merged, owner: last.owner))
  }

  private func canMerge(_ last: Change, _ next: Change) -> Bool {
    executor != nil || last.origin == .elsewhere && next.origin == .elsewhere
      || pending.count >= Self.pendingMax
  }

  /// Calls `prior` before this process makes a change.
  func notify(priorTo change: Change) {
    if change.origin == ignoredOrigin || isEnded { return }
    prior?(change)
  }

  /// Delivers pending changes, here or through the executor, unless another thread already does.
  func notify() {
    guard let executor else { return deliverHere() }
    let isScheduled = lock.withLock {
      if pending.isEmpty || phase != .idle { return false }
      phase = .scheduled
      return true
    }
    if isScheduled { executor(self) }
  }

  /// Delivers all pending changes. To be called by the executor.
  package func deliverAll() { while let change = takePending() { body(self, change) } }

  /// The next pending change, for an executor that delivers changes itself; nil if there are none.
  package func takePending() -> Change? {
    lock.withLock {
      if phase == .ended { return nil }
      if !pending.isEmpty { return pending.removeFirst().change }
      phase = .idle
      return nil
    }
  }

  private func deliverHere() {
    while let change = enterDelivery() {
      body(self, change)
      leaveDelivery()
    }
  }

  /// The change to deliver; nil if nothing is pending, another thread is delivering, or another
  /// thread has made the next change and is about to deliver it. Who has made a change, too, does
  /// not wait for that: it delivers what comes before its own.
  private func enterDelivery() -> Change? {
    lock.withLock {
      guard let next = pending.first else { return nil }
      let isFree = next.owner?.isOfParent ?? true || pending.contains { $0.owner == .current }
      guard isFree else { return nil }
      switch phase {
      case .idle: phase = .delivering(on: .current, depth: 1)
      case .delivering(let thread, _) where thread.isOfParent:
        phase = .delivering(on: .current, depth: 1)
      case .delivering(.current, let depth): phase = .delivering(on: .current, depth: depth + 1)
      case .delivering, .scheduled, .ended: return leaveToOthers()
      }
      pending.removeFirst()
      return next.change
    }
  }

  /// Lets whoever delivers next deliver the changes of this thread, which does not wait for that.
  private func leaveToOthers() -> Change? {
    for place in pending.indices where pending[place].owner == .current {
      pending[place].owner = nil
    }
    return nil
  }

  private func leaveDelivery() {
    lock.withLock {
      guard case .delivering(let thread, let depth) = phase else { return }
      phase = depth == 1 ? .idle : .delivering(on: thread, depth: depth - 1)
    }
  }
}
