/// Equality by type and by bits: equal values are written as the same bytes, except for the keys of
/// dictionaries, which are equal if Swift's strings are.
extension PropertyListValue: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.single(let a), .single(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.string(let a), .string(let b)): Self.haveSameBytes(a, b)
    case (.uid(let a), .uid(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.dictionary(let a), .dictionary(let b)): a == b
    default: false
    }
  }

  /// Strings that Swift considers equal may have different bytes, and name different files.
  private static func haveSameBytes(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count, a == b else { return false }
    // A character that is equivalent to an ASCII one takes more bytes, so equal sizes rule it out;
    // comparing all bytes takes longer.
    return a.utf8Span.isKnownASCII || a.utf8.elementsEqual(b.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .single(let value): hasher.combine(value.bitPattern)
    case .date(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .uid(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value)
    }
  }
}
