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
  private struct Entry {
    var high: UInt64
    var low: UInt64
    var position: Int
  }

  /// The positions of `entries` in ascending order of their keys.
  package static func positions(
    ofEntries entries: [(key: String, value: PropertyListValue)]
  ) -> [Int] {
    positions(count: entries.count) { entries[$0].key }
  }

  /// The entries of a dictionary, sorted by key.
  package static func sorted<Value>(
    _ entries: [String: Value]
  ) -> [(key: String, value: Value)] {
    let unordered = Array(entries)
    return positions(count: unordered.count) { unordered[$0].key }.map { unordered[$0] }
  }

  /// The entries of a dictionary, sorted by the UTF-16 of their keys as in Apple's XML.
  package static func sortedAsUTF16<Value>(
    _ entries: [String: Value]
  ) -> [(key: String, value: Value)] {
    let sorted = sorted(entries)
    // The orders only differ if a character needs four bytes.
    guard sorted.contains(where: { $0.key.utf8.contains { $0 >= 0xF0 } }) else { return sorted }
    return sorted.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
  }

  private static func positions(count: Int, key: (Int) -> String) -> [Int] {
    guard count > 1 else { return Array(0..<count) }
    var (entries, shared) = words(count: count, at: 0, key: key)
    if shared >= 8 { entries = words(count: count, at: shared, key: key).entries }
    entries.sort { left, right in
      if left.high != right.high { return left.high < right.high }
      if left.low != right.low { return left.low < right.low }
      return key(left.position).utf8.lexicographicallyPrecedes(key(right.position).utf8)
    }
    return entries.map(\.position)
  }

  /// The words of each key from an offset, and the size of the prefix that all keys share.
  private static func words(
    count: Int, at offset: Int, key: (Int) -> String
  ) -> (entries: [Entry], shared: Int) {
    var first = key(0)
    return first.withUTF8 { first in
      var shared = first.count
      let entries = (0..<count).map { position in
        var key = key(position)
        return key.withUTF8 { utf8 in
          shared = sharedLength(first, utf8, max: shared)
          return Entry(
            high: word(utf8, at: offset), low: word(utf8, at: offset + 8), position: position)
        }
      }
      return (entries, shared)
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
}
