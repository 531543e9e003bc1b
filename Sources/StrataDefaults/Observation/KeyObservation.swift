import StrataDomains

/// The lifetime of an observation by a closure.
extension UserDefaultsTypes {
  /// Keeps an observation and the observed settings alive. Releasing it, or calling `cancel`, ends
  /// the observation: no call begins after that.
  ///
  /// Keep it in a property. `_ = defaults.observe(…)` ends the observation at once, and so may an
  /// optimized build after the last use of a local variable, before the end of its scope.
  public final class KeyObservation: Sendable {
    private let defaults: UserDefaults
    private let observer: Observer

    init(_ defaults: UserDefaults, _ observer: Observer) {
      self.defaults = defaults
      self.observer = observer
    }

    deinit { cancel() }

    /// Ends the observation; a call that has begun runs to its end.
    public func cancel() { defaults.stack.remove(observer) }
  }
}
