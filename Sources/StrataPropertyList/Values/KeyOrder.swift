/// The order in which keys are written: ascending by their UTF-8 bytes.
///
/// For most keys, the sort compares two machine words: the first 16 bytes or, if all keys share at
/// least 8 bytes at the start, the 16 that follow the shared ones. Only keys that are equal there
/// are compared as a whole.
///
/// Safety: a key's bytes are only read within the `withUTF8` call that lends them. Eight bytes are
/// loaded only if `offset + 8 <= count`, others one at a time below `count`; `sharedLength` stops
/// at the end of the shorter key.
package enum KeyOrder {
  package typealias Entry = (key: String, value: PropertyListValue)

  private struct Words {
    var high: UInt64
    var low: UInt64
    var position: Int
  }

  /// The positions of `entries` in ascending order of their keys.
  package static func positions(ofEntries entries: [Entry]) -> [Int] {
    guard entries.count > 1 else { return Array(0..<entries.count) }
    var (words, shared) = words(of: entries, at: 0)
    if shared >= 8 { words = Self.words(of: entries, at: shared).words }
    words.sort { left, right in
      if left.high != right.high { return left.high < right.high }
      if left.low != right.low { return left.low < right.low }
      return precedes(entries[left.position].key, entries[right.position].key)
    }
    return words.map(\.position)
  }

  /// The entries of a dictionary, sorted by key.
  package static func sorted(_ entries: [String: PropertyListValue]) -> [Entry] {
    let unordered = Array(entries)
    return positions(ofEntries: unordered).map { unordered[$0] }
  }

  /// The entries of a dictionary, sorted by the UTF-16 of their keys as in Apple's XML.
  package static func sortedAsUTF16(_ entries: [String: PropertyListValue]) -> [Entry] {
    let sorted = sorted(entries)
    // The orders only differ if a character needs four bytes.
    guard sorted.contains(where: { $0.key.utf8.contains { $0 >= 0xF0 } }) else { return sorted }
    return sorted.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
  }

  @inline(never)
  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The words of each key from an offset, and the size of the prefix that all keys share.
  @inline(never)
  private static func words(
    of entries: [Entry], at offset: Int
  ) -> (words: [Words], shared: Int) {
    var first = entries[0].key
    return first.withUTF8 { first in
      var shared = first.count
      var words: [Words] = []
      words.reserveCapacity(entries.count)
      for position in entries.indices {
        var key = entries[position].key
        key.withUTF8 { utf8 in
          shared = sharedLength(first, utf8, max: shared)
          words.append(
            Words(
              high: word(utf8, at: offset), low: word(utf8, at: offset + 8), position: position))
        }
      }
      return (words, shared)
    }
  }

  private static func sharedLength(
    _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, max: Int
  ) -> Int {
    let limit = min(max, right.count)
    var length = 0
    while length < limit, left[length] == right[length] { length += 1 }
    return length
  }

  /// Eight bytes from an offset as a number with the same order; bytes past the end are zeros.
  private static func word(_ utf8: UnsafeBufferPointer<UInt8>, at offset: Int) -> UInt64 {
    if offset + 8 <= utf8.count {
      let bytes = UnsafeRawBufferPointer(utf8)
      return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var word: UInt64 = 0
    for position in offset..<(offset + 8) {
      word = word << 8 | (position < utf8.count ? UInt64(utf8[position]) : 0)
    }
    return word
  }

  /// Texts in the order of Swift's `<`. Here, so that there is one sort of texts and not one in
  /// each module.
  @inline(never)
  package static func ascending(_ texts: [String]) -> [String] { texts.sorted() }
}
