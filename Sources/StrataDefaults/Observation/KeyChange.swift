import StrataDomains
import StrataPropertyList

/// The changes that closures are called with.
extension UserDefaultsTypes {
  /// A change of the effective value of a key.
  public struct KeyChange<Value> {
    /// The value before; nil if there was none, or none of this type.
    public let old: Value?
    /// The value now; nil if there is none, or none of this type.
    public let new: Value?
    /// Whether this process made the change.
    public let isLocal: Bool
    /// Whether the observed object made the change.
    public let isOwn: Bool
    /// Whether the change is still to come, as with the option `.prior`.
    public let isPrior: Bool

    init(_ change: Observer.Change, own: Observer.Origin, isPrior: Bool = false) {
      self.isPrior = isPrior
      old = change.isFirst ? nil : Self.value(of: change.old)
      new = Self.value(of: change.new)
      isLocal = change.origin != .elsewhere
      isOwn = change.origin == own
    }

    /// The object that callers get, as this type; for the simplest types without making an object.
    private static func value(of values: [PropertyListValue?]) -> Value? {
      switch values[0] {
      case .integer(let number) where Value.self == Int.self: Int(exactly: number) as? Value
      case .real(let number) where Value.self == Double.self: number as? Value
      case .boolean(let flag) where Value.self == Bool.self: flag as? Value
      case .string(let text) where Value.self == String.self: text as? Value
      // Nil itself is an `Any`, too.
      case let stored: stored.flatMap { Bridge.object(of: $0) as? Value }
      }
    }
  }
}

extension UserDefaults.KeyChange: Sendable where Value: Sendable {}
