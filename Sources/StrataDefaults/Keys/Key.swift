public import StrataPropertyList
import StrataStorage

/// A key and the type of its value.
extension UserDefaults {
  /// The name of a value, with its type and what holds when nothing is set.
  ///
  /// Declare keys in an extension of ``Keys``; a key that depends on something is made where it is
  /// needed, as in `Key("recent.\(id)", default: 0)`.
  ///
  /// What is stored may be of another type, or a value that the key does not allow, because other
  /// programs and people write too. Then the default is read, what is stored stays, and
  /// ``UserDefaults/onMismatch(_:)`` hears of it.
  public final class Key<Value: StorableValue>: Keys, @unchecked Sendable {
    // Safety: constants, all of them Sendable, and a cache that guards itself.

    /// What is read when no domain has a value, or one that can't be taken.
    public let defaultValue: Value
    /// The smallest and the largest value that the key allows.
    public let bounds: (least: Value, greatest: Value)?
    /// The only values that the key allows.
    public let choices: [Value]?

    @usableFromInline let rule: (@Sendable (Value) -> Bool)?
    @usableFromInline let isText = !(Value.self is any JSONStorable.Type)

    /// A key for any value of its type.
    public init(
      _ name: String, default value: Value, title: String? = nil, description: String? = nil,
      isRedacted: Bool = false
    ) {
      defaultValue = value
      (bounds, choices, rule) = (nil, nil, nil)
      super.init(name, title: title, description: description, isRedacted: isRedacted)
    }

    /// A key for a value that may be missing: then it is nil.
    public convenience init<Wrapped>(
      _ name: String, title: String? = nil, description: String? = nil, isRedacted: Bool = false
    ) where Value == Wrapped? {
      self.init(
        name, default: nil, title: title, description: description, isRedacted: isRedacted)
    }

    /// A key for values in a range. What lies outside of it is not set, and reads as the default.
    public init(
      _ name: String, default value: Value, in range: ClosedRange<Value>, title: String? = nil,
      description: String? = nil
    ) where Value: Comparable {
      precondition(range.contains(value), "the default of \(name) is not in its range")
      defaultValue = value
      bounds = (range.lowerBound, range.upperBound)
      choices = nil
      rule = { range.contains($0) }
      super.init(name, title: title, description: description)
    }

    /// A key for one of a few values. Another one is not set, and reads as the default.
    public init(
      _ name: String, default value: Value, choices: [Value], title: String? = nil,
      description: String? = nil
    ) where Value: Equatable {
      precondition(choices.contains(value), "the default of \(name) is none of its choices")
      defaultValue = value
      bounds = nil
      self.choices = choices
      rule = { choices.contains($0) }
      super.init(name, title: title, description: description)
    }

    /// What the default is stored as; nil where that is nothing, as for an optional type.
    public override var storedDefault: PropertyListValue? {
      do throws(DefaultsError) {
        return try UserDefaults.stored(defaultValue, self)
      } catch {
        Log.write(error.description)
        return nil
      }
    }

    /// The value that a stored one says; nil when it says none that the key allows.
    @inlinable
    func value(of stored: PropertyListValue) -> Value? {
      guard let value = Value(stored: stored) else { return nil }
      if let rule, !rule(value) { return nil }
      return value
    }
  }
}
