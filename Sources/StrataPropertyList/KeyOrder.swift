/// The order in which keys are written: ascending by the bytes of their UTF-8.
///
/// The sort compares two machine words for most keys: the first 16 bytes or, where all keys begin
/// with the same 8, those that follow what they share. Only keys that agree there are compared as a
/// whole.
package enum KeyOrder {
  private struct Entry {
    var high: UInt64
    var low: UInt64
    var position: Int
  }

  /// The positions of `keys` in ascending order.
  package static func positions(_ keys: [String]) -> [Int] {
    var entries = words(of: keys, at: 0)
    guard let first = entries.first else { return [] }
    if entries.allSatisfy({ $0.high == first.high }) {
      entries = words(of: keys, at: sharedPrefixLength(keys))
    }
    entries.sort { left, right in
      if left.high != right.high { return left.high < right.high }
      if left.low != right.low { return left.low < right.low }
      return keys[left.position].utf8.lexicographicallyPrecedes(keys[right.position].utf8)
    }
    return entries.map(\.position)
  }

  /// The entries of a dictionary in ascending order of their keys.
  package static func sorted<Value>(
    _ entries: [String: Value]
  ) -> [(key: String, value: Value)] {
    let unordered = Array(entries)
    return positions(unordered.map(\.key)).map { unordered[$0] }
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

  private static func words(of keys: [String], at offset: Int) -> [Entry] {
    keys.indices.map { position in
      var key = keys[position]
      return key.withUTF8 { utf8 in
        Entry(
          high: word(utf8, at: offset), low: word(utf8, at: offset + 8), position: position)
      }
    }
  }

  private static func sharedPrefixLength(_ keys: [String]) -> Int {
    var first = keys[0]
    return first.withUTF8 { first in
      keys.dropFirst().reduce(first.count) { shared, key in
        var key = key
        return key.withUTF8 { utf8 in
          let limit = min(shared, utf8.count)
          var length = 0
          while length < limit, utf8[length] == first[length] { length += 1 }
          return length
        }
      }
    }
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
