import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What a compacted journal begins with.
@Suite struct MergedEditsTests {
  private func scan(_ changeSets: [ChangeSet]) -> JournalScan {
    JournalBytes.scan(JournalBytes.encode(changeSets))
  }

  private func decoded(_ part: [UInt8]) -> ChangeSet? {
    part.withUnsafeBytes { bytes in
      var reader = RecordReader(bytes)
      return reader.changes()
    }
  }

  private func effect(
    of changeSets: [ChangeSet], on values: [String: PropertyListValue]
  ) -> [String: PropertyListValue] {
    changeSets.reduce(into: values) { values, changes in
      if changes.replacesAll { values = [:] }
      for change in changes.changes { values[change.key] = change.value }
    }
  }

  // Some keys have two spellings, which are one key.
  private let keys = [
    "a", "b", "key", "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "ab",
  ]

  private func changes(_ generator: inout ValueGenerator) -> ChangeSet {
    let changes = (0..<Int.random(in: 1...3, using: &generator.random)).map { _ in
      Change(
        key: keys.randomElement(using: &generator.random) ?? "a",
        value: generator.random.oneIn(4) ? nil : generator.value(depth: 2))
    }
    return ChangeSet(changes, replacesAll: generator.random.oneIn(12))
  }

  // S-3, S-11
  @Test(arguments: UInt64(1)...200)
  func `merged edits have the effect of all, and each key is there once`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let count = Int.random(in: 1...20, using: &generator.random)
    let all = (0..<count).map { _ in changes(&generator) }
    let start = Int.random(in: 0..<count, using: &generator.random)
    let sizeMax = [8, 64, 1 << 20].randomElement(using: &generator.random) ?? 8
    let parts = MergedEdits(scan(all), start..<count, partsOfAtMost: sizeMax).parts
    let merged = try parts.map { try #require(decoded($0)) }
    let before = effect(of: Array(all[..<start]), on: ["old": .boolean(true)])
    #expect(effect(of: merged, on: before) == effect(of: all, on: ["old": .boolean(true)]))
    let named = merged.flatMap(\.changes).map(\.key)
    #expect(Set(named).count == named.count, "\(named)")
    #expect(zip(parts, merged).allSatisfy { $0.count <= sizeMax || $1.changes.count == 1 })
    #expect(merged.dropFirst().allSatisfy { !$0.replacesAll })
  }

  // S-3
  @Test func `of a key with two spellings the last one stays, as in a table`() throws {
    let all = [
      ChangeSet([Change(key: "\u{E9}", value: .integer(1))]),
      ChangeSet([Change(key: "e\u{301}", value: .integer(2))]),
    ]
    let parts = MergedEdits(scan(all), 0..<2, partsOfAtMost: 1 << 20).parts
    #expect(parts.count == 1)
    let merged = try #require(parts.first.flatMap { decoded($0) })
    #expect(merged.changes.map { Array($0.key.utf8) } == [Array("e\u{301}".utf8)])
    #expect(merged.changes.map(\.value) == [.integer(2)])
  }

  @Test func `no records make no change set`() {
    #expect(MergedEdits(scan([]), 0..<0, partsOfAtMost: 8).parts.isEmpty)
  }
}
