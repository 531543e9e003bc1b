import StrataPropertyList

/// What a domain's file says of itself: which journal's records it holds, up to where.
///
/// Without that, only the journal that announced the file would know it from an edit, and journals
/// may be destroyed. The 23 bytes lie between the top dictionary and the table of offsets, in a
/// data object that no table mentions, so that every reader of property lists passes over them:
///
///     4F 10 14  lineage  generation  length
///               8 LE     4 LE        8 LE
enum HeldRecords {
  private static let start: [UInt8] = [0x4F, 0x10, 0x14]
  static let size = start.count + 20

  static func bytes(_ held: JournalKnowledge) -> [UInt8] {
    start + bytes(held.lineage, 8) + bytes(UInt64(held.generation), 4)
      + bytes(UInt64(held.length), 8)
  }

  /// Reads them between the end of the top dictionary and the table of offsets.
  static func read(_ bytes: ArraySlice<UInt8>) -> JournalKnowledge? {
    guard bytes.count == size, bytes.starts(with: start) else { return nil }
    let numbers = bytes.dropFirst(start.count)
    guard let length = Int(exactly: number(numbers.suffix(8))) else { return nil }
    return JournalKnowledge(
      lineage: number(numbers.prefix(8)),
      generation: UInt32(truncatingIfNeeded: number(numbers.dropFirst(8).prefix(4))),
      length: length)
  }

  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
