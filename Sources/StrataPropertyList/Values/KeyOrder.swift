/// The order in which keys are written: ascending by the bytes of their UTF-8.
///
/// The sort compares two machine words for most keys: the first 16 bytes or, where all keys begin
/// with the same 8, those that follow what they share. Only keys that agree there are compared as a
/// whole.
///
/// Safety: a key's bytes are lent for the reading of two words. Eight bytes are loaded only where
/// `offset + 8 <= count`, others one by one below `count`; `sharedLength` stops at the shorter key.
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

  /// The entries of a dictionary in ascending order of their keys.
  package static func sorted<Value>(
    _ entries: [String: Value]
  ) -> [(key: String, value: Value)] {
    let unordered = Array(entries)
    return positions(count: unordered.count) { unordered[$0].key }.map { unordered[$0] }
  }

  /// The entries of a dictionary by the UTF-16 of their keys, the order of Apple's XML.
  package static func sortedAsUTF16<Value>(
    _ entries: [String: Value]
  ) -> [(key: String, value: Value)] {
    let sorted = sorted(entries)
    // Both orders agree as long as no character needs four bytes.
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

  /// The words of each key from an offset, and how many bytes all keys begin with.
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

  /// Eight bytes from an offset as a number that orders as they do; zeros past the end.
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
