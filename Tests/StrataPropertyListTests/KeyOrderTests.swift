import StrataPropertyList
import StrataTesting
import Testing

/// The order in which keys are written.
struct KeyOrderTests {
  @Test(arguments: 0..<40)
  func `keys ascend by the bytes of their UTF-8 whatever they share`(seed: UInt64) {
    var generator = ValueGenerator(seed: seed)
    let shared = ["", "a", "com.example.", "a prefix of more than sixteen bytes é"]
    for prefix in shared {
      var entries: [String: PropertyListValue] = [:]
      for _ in 0..<60 { entries[prefix + generator.string()] = .boolean(true) }
      entries[prefix + "\0"] = .boolean(true)
      entries[prefix] = .boolean(true)
      let known = entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(KeyOrder.sorted(entries).map(\.key) == known, "seed \(seed)")
      let units = entries.keys.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      #expect(KeyOrder.sortedAsUTF16(entries).map(\.key) == units, "seed \(seed)")
    }
  }
}
