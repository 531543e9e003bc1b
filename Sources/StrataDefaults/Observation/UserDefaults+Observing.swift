public import Dispatch
import StrataDomains

/// Observing with closures.
extension UserDefaults {
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
  /// there, but for the option `.prior`.
  /// - Parameters:
  ///   - key: what is observed, a plain key also where it has dots.
  ///   - type: what values are told as; one of another type is told as nil.
  ///   - options: `.initial` has the value that there is told at once, `.prior` warns of changes by
  ///     this process before they happen, on the thread that makes them.
  ///   - ignoringOwn: changes by this very object are not told.
  ///   - queue: where `change` is called.
  ///   - change: what is called.
  public func observe<Value>(
    _ key: String, as type: Value.Type = Value.self, options: NSKeyValueObservingOptions = [],
    ignoringOwn: Bool = false, on queue: DispatchQueue? = nil,
    change: @escaping @Sendable (KeyChange<Value>) -> Void
  ) -> KeyObservation {
    let own = ownOrigin
    return observe(
      key, options: options, ignoringOwn: ignoringOwn,
      prior: { change(KeyChange($0, own: own, isPrior: true)) }, by: Self.executor(to: queue)
    ) { observer, stored in
      let converted = KeyChange<Value>(stored, own: own)
      if !observer.isEnded { change(converted) }
    }
  }

  /// The same on an actor of yours, which `change` is given.
  ///
  /// ```swift
  /// observation = defaults.observe("Theme", as: String.self, on: self) { model, change in
  ///   model.theme = change.new
  /// }
  /// ```
  ///
  /// Changes that come faster than the actor takes them are told as one. No call begins after the
  /// observation was cancelled on the actor.
  public func observe<Value: Sendable, Isolation: Actor>(
    _ key: String, as type: Value.Type = Value.self, options: NSKeyValueObservingOptions = [],
    ignoringOwn: Bool = false, on actor: Isolation,
    change: @escaping @Sendable (isolated Isolation, KeyChange<Value>) -> Void
  ) -> KeyObservation {
    let own = ownOrigin
    let deliver: @Sendable (isolated Isolation, Observer) -> Void = { actor, observer in
      while let next = observer.takePending() { change(actor, KeyChange(next, own: own)) }
    }
    return observe(
      key, options: options, ignoringOwn: ignoringOwn,
      by: { [weak actor] observer in
        _ = Task { if let actor { await deliver(actor, observer) } }
      })
  }

  /// The same on a global actor: the one that the closure names.
  ///
  /// ```swift
  /// observation = defaults.observe("Theme", as: String.self) { @MainActor change in
  ///   label.text = change.new
  /// }
  /// ```
  public func observe<Value: Sendable>(
    _ key: String, as type: Value.Type = Value.self, options: NSKeyValueObservingOptions = [],
    ignoringOwn: Bool = false,
    isolated change: @escaping @isolated(any) @Sendable (KeyChange<Value>) -> Void
  ) -> KeyObservation {
    let own = ownOrigin
    // On the actor from the start, so that nothing lies between `take` and the call.
    let deliver: @Sendable (isolated (any Actor)?, Observer) async -> Void = { _, observer in
      while let next = observer.takePending() { await change(KeyChange(next, own: own)) }
    }
    return observe(
      key, options: options, ignoringOwn: ignoringOwn,
      by: { observer in _ = Task { await deliver(change.isolation, observer) } })
  }

  /// What closures are made of: they are told what is stored.
  func observe(
    _ key: String, options: NSKeyValueObservingOptions = [], ignoringOwn: Bool,
    prior: (@Sendable (Observer.Change) -> Void)? = nil,
    by executor: (@Sendable (Observer) -> Void)?,
    onChange body: @escaping @Sendable (Observer, Observer.Change) -> Void = { _, _ in }
  ) -> KeyObservation {
    let observer = Observer(
      [key], deliversInitial: options.contains(.initial), ignoring: ignoringOwn ? ownOrigin : nil,
      prior: options.contains(.prior) ? prior : nil, by: executor, onChange: body)
    stack.add(observer)
    return KeyObservation(self, observer)
  }

  /// What brings changes to a queue.
  static func executor(to queue: DispatchQueue?) -> (@Sendable (Observer) -> Void)? {
    guard let queue else { return nil }
    return { observer in queue.async { observer.deliverAll() } }
  }

  private var ownOrigin: Observer.Origin { .here(ObjectIdentifier(self)) }
}
