import StrataPropertyList
import StrataTesting
import Testing

/// That every value survives a notation, exactly but for what `losses` tells.
struct RoundTripTests {
  // P-2
  @Test(arguments: 0..<40)
  func `binary keeps every value exactly`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    for _ in 0..<20 {
      let value = generator.value()
      let bytes = try PropertyList.encode(value, as: .binary)
      #expect(try PropertyList.decode(bytes) == (value, .binary), "seed \(seed)")
      #expect(PropertyList.losses(of: value, as: .binary).isEmpty)
    }
  }

  // P-2
  @Test(arguments: [PropertyListFormat.xml, .openStep, .json], 0..<40)
  func `a text notation keeps what it does not declare lost`(
    format: PropertyListFormat, seed: UInt64
  ) throws {
    var generator = ValueGenerator(seed: seed)
    generator.limits.hasSingles = false
    for _ in 0..<20 {
      let value = generator.value()
      guard PropertyList.losses(of: value, as: format).isEmpty else { continue }
      let bytes = try PropertyList.encode(value, as: format)
      #expect(try PropertyList.decode(bytes, as: format) == value, "seed \(seed), \(format)")
    }
  }

  // P-2
  @Test(arguments: [PropertyListFormat.xml, .openStep, .json], 0..<40)
  func `what a text notation loses is declared`(
    format: PropertyListFormat, seed: UInt64
  ) throws {
    var generator = ValueGenerator(seed: seed)
    generator.limits.hasSingles = false
    if format == .xml { generator.limits.hasControlCharacters = false }
    for _ in 0..<20 {
      let value = generator.value(depth: 0)
      let again = try PropertyList.decode(PropertyList.encode(value, as: format), as: format)
      let isDeclared = !PropertyList.losses(of: value, as: format).isEmpty
      #expect((again != value) == isDeclared, "seed \(seed), \(format): \(value)")
    }
  }

  // P-1
  @Test func `a loss is named by its path`() {
    let value = PropertyListValue.dictionary([
      "list": .array([.integer(1), .date(PropertyListDate(secondsSinceReference: 0.5))])
    ])
    let losses = PropertyList.losses(of: value, as: .xml)
    #expect(losses.map(\.description) == ["list.1: the fraction of a second"])
    #expect(PropertyList.losses(of: value, as: .json).map(\.path) == [["list", "1"]])
  }

  // P-3
  @Test func `the notation of a list is told with its value, so that it can be kept`() throws {
    let value = PropertyListValue.dictionary(["key": .string("value")])
    for format in PropertyListFormat.allCases {
      let bytes = try PropertyList.encode(value, as: format)
      #expect(try PropertyList.decode(bytes) == (value, format))
    }
  }

  // P-2
  @Test func `equal values give equal bytes whatever the order they were made in`() throws {
    let keys = (0..<200).map { "key\($0)" }
    let forwards = Dictionary(
      uniqueKeysWithValues: keys.map { ($0, PropertyListValue.boolean(true)) })
    let backwards = Dictionary(
      uniqueKeysWithValues: keys.reversed().map { ($0, PropertyListValue.boolean(true)) })
    for format in PropertyListFormat.allCases {
      let first = try PropertyList.encode(.dictionary(forwards), as: format)
      #expect(try PropertyList.encode(.dictionary(backwards), as: format) == first)
    }
  }

  // P-2
  @Test func `types that compare equal in other programs stay apart`() {
    #expect(PropertyListValue.boolean(true) != .integer(1))
    #expect(PropertyListValue.real(1) != .integer(1))
    #expect(PropertyListValue.real(1) != .single(1))
    #expect(PropertyListValue.real(.nan) == .real(.nan))
    #expect(PropertyListValue.real(0) != .real(-0.0))
    for (text, lookalike) in [("\u{E9}", "e\u{301}"), ("a\u{323}\u{307}", "a\u{307}\u{323}")] {
      #expect(text == lookalike)
      #expect(PropertyListValue.string(text) != .string(lookalike))
      #expect(PropertyListValue.string(text) == .string(text + ""))
    }
    let never = PropertyListDate(secondsSinceReference: .nan)
    #expect(never == never)
    #expect(Set([never, never]).count == 1)
  }
}
