import StrataDomains

/// What ends an observation by a closure.
extension UserDefaults {
  /// Keeps an observation going, and what is observed; dropping it, or `cancel`, ends it: no call
  /// begins after that.
  public final class KeyObservation: Sendable {
    private let defaults: UserDefaults
    private let observer: Observer
    private let relay: KeyChangeRelay?

    init(_ defaults: UserDefaults, _ observer: Observer, _ relay: KeyChangeRelay? = nil) {
      self.defaults = defaults
      self.observer = observer
      self.relay = relay
    }

    deinit { cancel() }

    /// Ends the observation; a call that has begun runs to its end.
    public func cancel() {
      defaults.stack.end(observer)
      relay?.end()
    }
  }
}
