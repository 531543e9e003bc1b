import StrataDomains

/// What ends an observation by a closure.
extension UserDefaults {
  /// Keeps an observation going, and what is observed; dropping it, or `cancel`, ends it: no call
  /// begins after that.
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
