/// Represents UIDs of keyed archives in text formats: as dictionaries with one known key.
enum UIDText {
  static let key = "CF$UID"

  /// The UID that a dictionary represents, or the dictionary itself.
  static func value(of entries: [String: PropertyListValue]) -> PropertyListValue {
    guard entries.count == 1 else { return .dictionary(entries) }
    switch entries[key] {
    case .integer(let number) where number >= 0: return .uid(UInt64(number))
    case .unsigned(let number): return .uid(number)
    default: return .dictionary(entries)
    }
  }
}
