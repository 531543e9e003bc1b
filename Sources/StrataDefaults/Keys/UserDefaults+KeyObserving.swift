public import Dispatch
import StrataDomains
import StrataPropertyList

/// Observing typed keys.
extension UserDefaults {
  /// Calls `change` with each change of the value of a key, whoever makes it.
  ///
  /// ```swift
  /// let observation = defaults.observe(.theme) { old, new in
  ///   print("from \(old) to \(new)")
  /// }
  /// ```
  ///
  /// Changes by this process are delivered before the method that makes them returns; changes by
  /// others on a thread of the library, merged if they come faster than they are delivered. With a
  /// `queue`, all are delivered there. Releasing the returned object ends the observation.
  /// - Parameters:
  ///   - key: the key to observe.
  ///   - ignoringOwn: whether changes by this very object are left out.
  ///   - queue: the queue on which `change` is called.
  ///   - change: the closure to call.
  @_disfavoredOverload
  public func observe<Value>(
    _ key: Key<Value>, ignoringOwn: Bool = false, on queue: DispatchQueue? = nil,
    change: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> KeyObservation {
    observe(key.name, ignoringOwn: ignoringOwn, by: Self.executor(to: queue)) {
      [mismatches] observer, stored in
      let old = key.value(ofStored: stored.old[0])
      let new = key.value(ofStored: stored.new[0], reportingTo: mismatches)
      if !areEqual(old, new), !observer.isEnded { change(old, new) }
    }
  }

  /// The current value of a key, and then each new one, whoever sets it; for several keys, all
  /// their values whenever one of them changes.
  ///
  /// ```swift
  /// for await (theme, size) in defaults.values(for: .theme, .fontSize) { … }
  /// ```
  ///
  /// A slow consumer skips to the newest values.
  @_disfavoredOverload
  public func values<each Value>(
    for key: repeat Key<each Value>
  ) -> Values<(repeat each Value)> {
    var given: Set<String> = []
    for key in repeat each key { given.insert(key.name) }
    // Each once: an observer has one value for it.
    let names = KeyOrder.ascending(Array(given))
    return Values(of: names, in: self, areAllEqual) { [mismatches] stored in
      let stored = Dictionary(uniqueKeysWithValues: zip(names, stored))
      return
        (repeat
        (each key).value(ofStored: stored[(each key).name] ?? nil, reportingTo: mismatches))
    }
  }
}

private func areAllEqual<each Value>(
  _ one: (repeat each Value), _ other: (repeat each Value)
) -> Bool {
  for (one, other) in repeat (each one, each other) {
    if !areEqual(one, other) { return false }
  }
  return true
}

extension UserDefaults.Key {
  /// The value of the key for the stored value that was delivered.
  /// - Parameter reports: where a value is reported that the key can't read: a program that only
  ///   observes would not learn of it otherwise.
  func value(
    ofStored stored: PropertyListValue?, reportingTo reports: MismatchReports? = nil
  ) -> Value {
    guard let stored else { return defaultValue }
    if let value = value(of: stored) { return value }
    reports?.report(UserDefaults.Mismatch(self, stored, Value.self))
    return defaultValue
  }
}

extension Default {
  /// Calls `change` with each change of the value, whoever makes it.
  public func observe(
    on queue: DispatchQueue? = nil,
    change: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> UserDefaults.KeyObservation {
    store.observe(key, on: queue, change: change)
  }

  /// The current value, and then each new one, whoever sets it.
  public var values: UserDefaults.Values<Value> { store.values(for: key) }
}
