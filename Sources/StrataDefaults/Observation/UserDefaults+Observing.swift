public import Dispatch
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Observing with closures and sequences.
extension UserDefaults {
  /// Keeps an observation going; dropping it, or `cancel`, ends it: no call begins after that.
  public final class KeyObservation: Sendable {
    private let stack: Stack
    private let observer: Observer
    private let relay: KeyChangeRelay?

    init(_ stack: Stack, _ observer: Observer, _ relay: KeyChangeRelay?) {
      self.stack = stack
      self.observer = observer
      self.relay = relay
    }

    deinit { cancel() }

    /// Ends the observation; a call that has begun runs to its end.
    public func cancel() {
      stack.end(observer)
      relay?.end()
    }
  }

  /// A change of the effective value of a key.
  public struct KeyChange<Value> {
    /// The value before; nil when there was none, or none of this type.
    public let old: Value?
    /// The value now; nil when there is none, or none of this type.
    public let new: Value?
    /// Whether this process made the change.
    public let isLocal: Bool
    /// Whether the object that is observed made the change.
    public let isOwn: Bool
    /// Whether the change is still to come: with the option `.prior`.
    public let isPrior: Bool
  }

  /// Has `change` called with each change of the effective value of `key`, whoever makes it.
  ///
  /// ```swift
  /// let observation = defaults.observe("Theme", as: String.self) { change in
  ///   print("from \(change.old ?? "none") to \(change.new ?? "none")")
  /// }
  /// ```
  ///
  /// Changes by this process are told before the method that makes them returns; others on a thread
  /// of ours, and those that come faster than they are told as one. With a `queue`, all are told
  /// there.
  /// - Parameters:
  ///   - options: `.initial` has the value that there is told at once, `.prior` warns of changes by
  ///     this process before they happen.
  ///   - ignoringOwn: changes by this very object are not told.
  public func observe<Value>(
    _ key: String, as type: Value.Type = Value.self, options: NSKeyValueObservingOptions = [],
    ignoringOwn: Bool = false, on queue: DispatchQueue? = nil,
    change: @escaping @Sendable (KeyChange<Value>) -> Void
  ) -> KeyObservation {
    let own = Observer.Origin.here(ObjectIdentifier(self))
    let tell: @Sendable (Observer.Change) -> Void = { change(KeyChange($0, own: own)) }
    let warn: @Sendable (Observer.Change) -> Void = {
      change(KeyChange($0, own: own, isPrior: true))
    }
    let relay = queue.map { KeyChangeRelay(on: $0, tell) }
    let hear: @Sendable (Observer.Change) -> Void = { relay?.take($0) ?? tell($0) }
    let observer = Observer(
      key, deafTo: ignoringOwn ? own : nil, warning: options.contains(.prior) ? warn : nil, hear)
    stack.begin(observer)
    if options.contains(.initial) {
      hear(Observer.Change(old: nil, new: stack.value(forKey: key), origin: own))
    }
    return KeyObservation(stack, observer, relay)
  }

  /// The value of a key now, and then each new one, whoever sets it.
  ///
  /// ```swift
  /// for await theme in defaults.values(forKey: "Theme", as: String.self) { … }
  /// ```
  ///
  /// Who is slow gets the newest value, and never a queue of old ones.
  public func values<Value: Sendable>(
    forKey key: String, as type: Value.Type = Value.self
  ) -> AsyncStream<Value?> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observe(key, as: type, options: .initial) { continuation.yield($0.new) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

extension UserDefaults.KeyChange: Sendable where Value: Sendable {}

extension UserDefaults.KeyChange {
  init(_ change: Observer.Change, own: Observer.Origin, isPrior: Bool = false) {
    self.isPrior = isPrior
    old = change.old.map(Bridge.object) as? Value
    new = change.new.map(Bridge.object) as? Value
    isLocal = change.origin != .elsewhere
    isOwn = change.origin == own
  }
}

/// Brings changes to a queue, merged while they wait.
final class KeyChangeRelay: @unchecked Sendable {
  // Safety: guarded by `lock`.
  private var waiting: Observer.Change?
  private var isEnded = false
  private let lock = Lock(.memory)
  private let queue: DispatchQueue
  private let tell: @Sendable (Observer.Change) -> Void

  init(on queue: DispatchQueue, _ tell: @escaping @Sendable (Observer.Change) -> Void) {
    self.queue = queue
    self.tell = tell
  }

  func take(_ change: Observer.Change) {
    let isFirst = lock.withLock {
      let old = waiting
      waiting = Observer.Change(
        old: old.map(\.old) ?? change.old, new: change.new, origin: change.origin)
      return old == nil
    }
    if isFirst { queue.async { self.deliver() } }
  }

  /// What waits is not told any more.
  func end() { lock.withLock { isEnded = true } }

  private func deliver() {
    let change = lock.withLock {
      defer { waiting = nil }
      return isEnded ? nil : waiting
    }
    if let change, change.old != change.new { tell(change) }
  }
}
