public import StrataPropertyList
import StrataStorage

/// A key and the type of its value.
extension UserDefaultsTypes {
  /// The name of a value, its type, and its default.
  ///
  /// Declare keys in an extension of ``Keys``. If the name depends on something, create the key
  /// where it is needed, as in `Key("recent.\(id)", default: 0)`.
  ///
  /// Since other programs and people write too, the stored value may have another type, or may not
  /// be allowed by the key. Then reads return the default, the stored value is left in place, and
  /// the handler of ``UserDefaults/onMismatch(_:)`` is called.
  public final class Key<Value: StorableValue>: Keys, @unchecked Sendable {
    // Safety: constants, all of them Sendable, and a cache that guards itself.

    /// The value to read if no domain has one that the key can read.
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

    /// A key for a value that may be missing, and is nil then.
    public convenience init<Wrapped>(
      _ name: String, title: String? = nil, description: String? = nil, isRedacted: Bool = false
    ) where Value == Wrapped? {
      self.init(
        name, default: nil, title: title, description: description, isRedacted: isRedacted)
    }

    /// A key for values in a range. Values outside of it are not set, and read as the default.
    public init(
      _ name: String, default value: Value, in range: ClosedRange<Value>, title: String? = nil,
      description: String? = nil, isRedacted: Bool = false
    ) where Value: Comparable {
      precondition(
        range.contains(value),
        "key \(name.debugDescription): default \(value) is outside \(range)")
      defaultValue = value
      bounds = (range.lowerBound, range.upperBound)
      choices = nil
      rule = { range.contains($0) }
      super.init(name, title: title, description: description, isRedacted: isRedacted)
    }

    /// A key for one of a few values. Other values are not set, and read as the default.
    public init(
      _ name: String, default value: Value, choices: [Value], title: String? = nil,
      description: String? = nil, isRedacted: Bool = false
    ) where Value: Equatable {
      precondition(
        choices.contains(value),
        "key \(name.debugDescription): default \(value) is not one of \(choices)")
      defaultValue = value
      bounds = nil
      self.choices = choices
      rule = { choices.contains($0) }
      super.init(name, title: title, description: description, isRedacted: isRedacted)
    }

    /// The default as it would be stored; nil if nothing would be, as for an optional type.
    public override var storedDefault: PropertyListValue? {
      do throws(DefaultsError) {
        return try UserDefaults.stored(defaultValue, self)
      } catch {
        Log.write(error.description)
        return nil
      }
    }

    override var allowed: String? {
      if let bounds { return "\(bounds.least)…\(bounds.greatest)" }
      return choices.map { choices in choices.map { "\($0)" }.joined(separator: ", ") }
    }

    /// Decodes a stored value; nil if it can't be decoded or the key does not allow it.
    @inlinable
    func value(of stored: PropertyListValue) -> Value? {
      guard let value = Value(stored: stored) else { return nil }
      if let rule, !rule(value) { return nil }
      return value
    }
  }
}
