import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// What a domain's file holds, and that it is found again.
struct CheckedPlistTests {
  typealias Entries = [(key: String, value: PropertyListValue)]

  static func dictionary(_ entries: Entries) -> [String: PropertyListValue] {
    Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
  }

  static func index(_ bytes: [UInt8]) throws -> CheckedPlist.Index {
    guard case .intact(let index) = CheckedPlist.inspect(bytes) else {
      throw PropertyListError(.malformed, offset: 0, reason: "the file is not intact")
    }
    return index
  }

  // P-2
  @Test(arguments: 0..<40)
  func `what is written is read again, key by key and as a whole`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let entries = generator.entries(Int(seed) * 3)
    let bytes = CheckedPlist.encode(entries)
    let index = try Self.index(bytes)
    #expect(index.count == entries.count, "seed \(seed)")
    #expect(Self.dictionary(index.entries()) == Self.dictionary(entries), "seed \(seed)")
    for entry in entries {
      #expect(index.value(forKey: entry.key) == entry.value, "seed \(seed), key \(entry.key)")
      #expect(index.value(forKey: entry.key + "?") == nil, "seed \(seed), key \(entry.key)")
    }
  }

  // P-1
  @Test(arguments: 0..<20)
  func `the file is an ordinary binary property list`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let entries = generator.entries(100)
    let decoded = try PropertyList.decode(CheckedPlist.encode(entries))
    #expect(decoded.format == .binary)
    #expect(decoded.value == .dictionary(Self.dictionary(entries)), "seed \(seed)")
  }

  // P-1, P-2, S-3
  @Test(arguments: 0..<40)
  func `a file says which records it holds, beside its values`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let entries = generator.entries(Int(seed) * 3)
    let held = JournalKnowledge(
      lineage: .random(in: 0 ... .max, using: &generator.random),
      generation: .random(in: 0 ... .max),
      length: .random(in: 0..<Journal.sizeMax))
    let bytes = CheckedPlist.encode(entries, holding: held)
    let index = try Self.index(bytes)
    #expect(index.held == held, "seed \(seed)")
    #expect(Self.dictionary(index.entries()) == Self.dictionary(entries), "seed \(seed)")
    #expect(try PropertyList.decode(bytes).value == .dictionary(Self.dictionary(entries)))
    #expect(try Self.index(CheckedPlist.encode(entries)).held == nil, "seed \(seed)")
  }

  @Test func `the order of the entries makes no difference to the bytes`() {
    var generator = ValueGenerator(seed: 7)
    let entries = generator.entries(200)
    let bytes = CheckedPlist.encode(entries)
    #expect(CheckedPlist.encode(entries.shuffled(using: &generator.random)) == bytes)
  }

  @Test func `keys are in the order of the bytes of their UTF-8`() throws {
    let keys = ["", "B", "a", "ab", "b", "ä", "\u{E000}", "\u{FFFD}", "\u{10000}", "\u{10FFFF}"]
    let bytes = CheckedPlist.encode(keys.reversed().map { ($0, .boolean(true)) })
    #expect(try Self.index(bytes).entries().map(\.key) == keys)
  }

  @Test func `a key is found in any composition of its characters`() throws {
    let pairs = [
      ("caf\u{E9}", "cafe\u{301}"), ("\u{212A}ey", "Key"), ("a;", "a\u{37E}"),
      ("\u{1FEF}", "`"), ("\u{212B}", "\u{C5}"), ("\u{1E69}x", "s\u{307}\u{323}x"),
    ]
    for (written, sought) in pairs {
      let others: Entries = (0..<50).map { ("k\($0)", .integer(Int64($0))) }
      let index = try Self.index(CheckedPlist.encode(others + [(written, .string("found"))]))
      #expect(index.value(forKey: sought) == .string("found"), "\(written)")
      #expect(index.value(forKey: written) == .string("found"), "\(written)")
      let swapped = try Self.index(CheckedPlist.encode(others + [(sought, .string("found"))]))
      #expect(swapped.value(forKey: written) == .string("found"), "\(sought)")
    }
  }

  @Test func `no scalar but the three known ones equals a character of ASCII`() {
    let ascii = Set((UInt8(0)..<0x80).map { String(Unicode.Scalar($0)) })
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), ascii.contains(String(scalar)) else { continue }
      let double = RareKeys.doubles[scalar].map { String($0) }
      #expect(double == String(scalar), "U+\(String(value, radix: 16))")
    }
    #expect(RareKeys.doubles.allSatisfy { String($0.key) == String($0.value) })
  }

  @Test func `an empty domain is a file too`() throws {
    let index = try Self.index(CheckedPlist.encode([]))
    #expect(index.count == 0)
    #expect(index.entries().isEmpty)
    #expect(index.value(forKey: "") == nil)
  }

  @Test func `a list that another program wrote is foreign`() throws {
    var generator = ValueGenerator(seed: 3)
    for _ in 0..<50 {
      let value = PropertyListValue.dictionary(generator.dictionary())
      let bytes = try PropertyList.encode(value, as: .binary)
      #expect(verdict(bytes) == "foreign")
    }
    #expect(verdict([]) == "foreign")
    #expect(verdict(Array("<?xml version=\"1.0\"?><plist><dict/></plist>".utf8)) == "foreign")
    #expect(verdict(Array(repeating: 0x4E, count: 5000)) == "foreign")
  }

  // P-7
  @Test func `a value nested too deep is the caller's mistake`() async {
    await #expect(processExitsWith: .failure) {
      let deep = (0..<512).reduce(PropertyListValue.array([])) { value, _ in .array([value]) }
      _ = CheckedPlist.encode([("key", deep)])
    }
  }

  // P-7
  @Test func `a value may be nested as deep as its dictionary leaves room for`() throws {
    let deep = (0..<510).reduce(PropertyListValue.array([])) { value, _ in .array([value]) }
    let bytes = CheckedPlist.encode([("key", deep)])
    #expect(try Self.index(bytes).value(forKey: "key") == deep)
    #expect(CheckedPlist.salvage(bytes).entries.first?.value == deep)
    #expect(try PropertyList.decode(bytes).value == .dictionary(["key": deep]))
  }

  @Test func `a domain's file inside a value is never taken for records`() throws {
    var generator = ValueGenerator(seed: 9)
    let inner = CheckedPlist.encode(generator.entries(30))
    let foreign = try PropertyList.encode(.dictionary(["file": .data(inner)]), as: .binary)
    #expect(verdict(foreign) == "foreign")
    var outer = CheckedPlist.encode([("file", .data(inner)), ("z", .integer(1))])
    outer[12] ^= 1
    let salvage = CheckedPlist.salvage(outer)
    #expect(salvage.entries.map(\.key) == ["z"])
    #expect(salvage.damagedCount == 1)
  }
}

/// The verdict as a word, which test failures can show.
func verdict(_ bytes: [UInt8]) -> String {
  switch CheckedPlist.inspect(bytes) {
  case .intact: "intact"
  case .damaged: "damaged"
  case .foreign: "foreign"
  }
}
