package import StrataPropertyList

/// Values as output can have them.
package enum ShownValue {
  /// The most containers that output has around a value, which may be as deep as one can be stored.
  package static let levelsMax = 4

  /// The text of a date, also of one that is not finite or out of range, as a binary property list
  /// can have it.
  package static func text(of date: PropertyListDate) -> String {
    date.text ?? "a date out of range"
  }

  /// The value with texts for such dates, so that none keeps what is beside it from being shown.
  package static func value(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .date(let date) where date.text == nil: .string(text(of: date))
    case .array(let elements): .array(elements.map(Self.value))
    case .dictionary(let entries): .dictionary(entries.mapValues(Self.value))
    default: value
    }
  }
}
