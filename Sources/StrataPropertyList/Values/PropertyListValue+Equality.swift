/// Equality by type and by bits: what is equal is written as the same bytes, but for the keys of
/// dictionaries, which are the same when Swift's Strings are equal.
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

  /// Texts that are equal for Swift may have other characters, and name other files.
  private static func haveSameBytes(_ a: String, _ b: String) -> Bool {
    guard a.utf8.count == b.utf8.count, a == b else { return false }
    // No text of as many bytes looks like ASCII and is not; looking at each byte takes longer.
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
