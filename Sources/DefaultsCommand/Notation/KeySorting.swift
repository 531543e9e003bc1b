@_spi(_Unicode) import Swift

/// The order in which keys are shown: by canonical decomposition, then by code point.
package enum KeySorting {
  package static func sorted<Entries: Collection, Value>(
    _ entries: Entries
  ) -> [(key: String, value: Value)] where Entries.Element == (key: String, value: Value) {
    // ASCII text is its own decomposition, and its bytes are its code points.
    if entries.allSatisfy({ $0.key.utf8.allSatisfy { $0 < 0x80 } }) {
      return entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }
    return entries.map { (order: decomposed($0.key), entry: $0) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }
      .map { ($0.entry.key, $0.entry.value) }
  }

  private static func decomposed(_ key: String) -> [UInt32] { key._nfd.map(\.value) }
}
