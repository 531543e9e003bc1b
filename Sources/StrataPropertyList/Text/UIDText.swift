/// How text notations say a keyed archiver's reference: as a dictionary with one known key.
enum UIDText {
  static let key = "CF$UID"

  /// The reference that a dictionary stands for, or the dictionary itself.
  static func value(of entries: [String: PropertyListValue]) -> PropertyListValue {
    guard entries.count == 1 else { return .dictionary(entries) }
    switch entries[key] {
    case .integer(let number) where number >= 0: return .uid(UInt64(number))
    case .unsigned(let number): return .uid(number)
    default: return .dictionary(entries)
    }
  }
}
