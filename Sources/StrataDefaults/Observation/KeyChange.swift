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

    /// The object that callers get, as this type; of the simplest ones without making an object.
    private static func value(of values: [PropertyListValue?]) -> Value? {
      switch values[0] {
      case .integer(let number) where Value.self == Int.self: Int(exactly: number) as? Value
      case .real(let number) where Value.self == Double.self: number as? Value
      case .boolean(let flag) where Value.self == Bool.self: flag as? Value
      case .string(let text) where Value.self == String.self: text as? Value
      case let stored: stored.map(Bridge.object) as? Value
      }
    }
  }
}

extension UserDefaults.KeyChange: Sendable where Value: Sendable {}
