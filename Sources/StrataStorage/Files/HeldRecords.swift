import StrataPropertyList

/// What a domain's file says of itself: which journal's records it holds, up to where.
///
/// Without that, only the journal that announced the file would know it from an edit, and journals
/// may be destroyed. The 19 bytes lie between the top dictionary and the table of offsets, in a
/// data object that no table mentions, so that every reader of property lists passes over them:
///
///     4F 10 10  length  generation  lineage
///               4 LE    4 LE        8 LE
enum HeldRecords {
  private static let start: [UInt8] = [0x4F, 0x10, 0x10]
  private static let wordSize = 8

  static func bytes(_ held: JournalKnowledge) -> [UInt8] {
    [held.words.1, held.words.0].reduce(start) { bytes, word in
      bytes + (0..<wordSize).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  // Safety: the bytes are lent for this look, and words are read where the count has room for them.
  /// Reads what lies between the end of the top dictionary and the table of offsets.
  static func read(_ bytes: Slice<UnsafeRawBufferPointer>) -> JournalKnowledge? {
    guard bytes.count == start.count + 2 * wordSize, bytes.starts(with: start) else { return nil }
    let words = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(start.count))
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: words.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return JournalKnowledge(words: (word(wordSize), word(0)))
  }
}
