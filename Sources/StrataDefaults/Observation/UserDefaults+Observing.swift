public import Dispatch
import StrataDomains

/// Observing with closures.
extension UserDefaults {
  /// Calls `change` with each change of the effective value of `key`, whoever makes it.
  ///
  /// ```swift
  /// let observation = defaults.observe("Theme", as: String.self) { change in
  ///   print("from \(change.old ?? "none") to \(change.new ?? "none")")
  /// }
  /// ```
  ///
  /// Changes by this process are delivered before the method that makes them returns; changes by
  /// others on a thread of the library, merged if they come faster than they are delivered. With a
  /// `queue`, all are delivered there, except those of the option `.prior`.
  /// - Parameters:
  ///   - key: the key, which is not a key path, even if it has dots.
  ///   - type: the type of the values; a value of another type is delivered as nil.
  ///   - options: `.initial` delivers the current value at once, `.prior` delivers changes by this
  ///     process before they happen, too, on the thread that makes them.
  ///   - ignoringOwn: whether changes by this very object are left out.
  ///   - queue: the queue on which `change` is called.
  ///   - change: the closure to call.
  @_disfavoredOverload
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

  /// Calls `change` on an actor, which it is passed.
  ///
  /// ```swift
  /// observation = defaults.observe("Theme", as: String.self, on: self) { model, change in
  ///   model.theme = change.new
  /// }
  /// ```
  ///
  /// Changes that come faster than the actor takes them are merged. No call begins after the
  /// observation was cancelled on the actor. The option `.prior` has no effect, since the actor is
  /// called later.
  @_disfavoredOverload
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

  /// Calls `change` on the global actor that it is isolated to.
  ///
  /// ```swift
  /// observation = defaults.observe("Theme", as: String.self) { @MainActor change in
  ///   label.text = change.new
  /// }
  /// ```
  ///
  /// The option `.prior` has no effect, since the actor is called later.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ key: String, as type: Value.Type = Value.self, options: NSKeyValueObservingOptions = [],
    ignoringOwn: Bool = false,
    isolated change: @escaping @isolated(any) @Sendable (KeyChange<Value>) -> Void
  ) -> KeyObservation {
    let own = ownOrigin
    // On the actor from the start, so that nothing comes between taking a change and the call.
    let deliver: @Sendable (isolated (any Actor)?, Observer) async -> Void = { _, observer in
      while let next = observer.takePending() { await change(KeyChange(next, own: own)) }
    }
    return observe(
      key, options: options, ignoringOwn: ignoringOwn,
      by: { observer in _ = Task { await deliver(change.isolation, observer) } })
  }

  /// Observes a key as the other methods do, with stored values.
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

  /// An executor that delivers on a queue; nil without one.
  static func executor(to queue: DispatchQueue?) -> (@Sendable (Observer) -> Void)? {
    guard let queue else { return nil }
    return { observer in queue.async { observer.deliverAll() } }
  }

  private var ownOrigin: Observer.Origin { .here(ObjectIdentifier(self)) }
}
