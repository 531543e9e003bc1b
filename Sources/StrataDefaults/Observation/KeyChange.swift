import StrataDomains
import StrataPropertyList

/// What closures that observe keys are told.
extension UserDefaults {
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

    init(_ change: Observer.Change, own: Observer.Origin, isPrior: Bool = false) {
      self.isPrior = isPrior
      old = change.isFirst ? nil : Self.value(of: change.old)
      new = Self.value(of: change.new)
      isLocal = change.origin != .elsewhere
      isOwn = change.origin == own
    }

    private static func value(of values: [PropertyListValue?]) -> Value? {
      values[0].map(Bridge.object) as? Value
    }
  }
}

extension UserDefaults.KeyChange: Sendable where Value: Sendable {}
