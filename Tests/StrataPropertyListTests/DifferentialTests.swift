import Foundation
import StrataPropertyList
import StrataTesting
import Testing

/// That other programs read what we write and we read what they write.
struct DifferentialTests {
  private static let xmlLimits: ValueGenerator.Limits = {
    var limits = ValueGenerator.Limits()
    limits.hasUIDs = false
    limits.hasSingles = false
    limits.hasControlCharacters = false
    limits.hasFractionsOfSeconds = false
    // plistlib takes both zeros for one object, and XML has only one.
    limits.hasNegativeZero = false
    // Foundation drops a byte order mark at the start of a string.
    limits.hasByteOrderMarks = false
    return limits
  }()

  private static func values(
    _ seed: UInt64, _ limits: ValueGenerator.Limits, count: Int = 20
  ) -> [PropertyListValue] {
    var generator = ValueGenerator(seed: seed, limits: limits)
    return (0..<count).map { _ in .dictionary(generator.dictionary()) }
  }

  // P-8
  @Test(arguments: 0..<20)
  func `Foundation reads our binary and we read its`(seed: UInt64) throws {
    var limits = ValueGenerator.Limits()
    limits.hasUIDs = false
    for value in Self.values(seed, limits) {
      let ours = try PropertyList.encode(value, as: .binary)
      expectSame(try FoundationValues.decode(ours), value, "seed \(seed)")
      let theirs = try FoundationValues.encode(value, .binary)
      expectSame(try PropertyList.decode(theirs).value, value, "seed \(seed)")
    }
  }

  // P-4, P-8
  @Test(arguments: 0..<20)
  func `our XML is byte for byte what Foundation writes`(seed: UInt64) throws {
    var limits = Self.xmlLimits
    limits.hasSingles = true
    limits.hasFractionsOfSeconds = true
    limits.hasNegativeZero = true
    for value in Self.values(seed, limits) {
      let ours = String(decoding: try PropertyList.encode(value, as: .xml), as: UTF8.self)
      let theirs = String(decoding: try FoundationValues.encode(value, .xml), as: UTF8.self)
      let lines = zip(ours.split(separator: "\n"), theirs.split(separator: "\n"))
      let difference = lines.first { $0 != $1 }
      #expect(ours == theirs, "seed \(seed): \(difference.map { "\($0)" } ?? "length")")
    }
  }

  // P-8
  @Test(arguments: 0..<20)
  func `Foundation reads our XML and we read its`(seed: UInt64) throws {
    for value in Self.values(seed, Self.xmlLimits) {
      let ours = try PropertyList.encode(value, as: .xml)
      expectSame(try FoundationValues.decode(ours), value, "seed \(seed)")
      let theirs = try FoundationValues.encode(value, .xml)
      expectSame(try PropertyList.decode(theirs).value, value, "seed \(seed)")
    }
  }

  // P-6, P-8
  @Test(arguments: 0..<10)
  func `Foundation reads our OpenStep as far as it knows it`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    for _ in 0..<50 {
      let value = PropertyListValue.dictionary([
        "s": .string(generator.string()), "a": .array([.string(generator.string()), .data([1])]),
      ])
      let ours = try PropertyList.encode(value, as: .openStep)
      expectSame(try FoundationValues.decode(ours), value, "seed \(seed)")
    }
  }

  // P-6
  @Test func `octal escapes are NeXTSTEP Latin as Foundation knows it`() throws {
    for byte in UInt8(0x80)..<0xFE {
      let text = "\"\\\(String(byte, radix: 8))\""
      let known = String(data: Data([byte]), encoding: .nextstep)
      #expect(try PropertyList.decode(Array(text.utf8)).value == .string(try #require(known)))
    }
  }

  // P-8
  @Test func `plistlib reads our binary and XML, and we read its`() throws {
    var limits = Self.xmlLimits
    limits.dates = -60_000_000_000...250_000_000_000
    let xml = (0..<10).flatMap { Self.values($0, limits) }
    limits.hasUIDs = true
    limits.hasControlCharacters = true
    let binary = (0..<10).flatMap { Self.values($0, limits) }
    let files =
      try xml.map { try PropertyList.encode($0, as: .xml) }
      + binary.map { try PropertyList.encode($0, as: .binary) }
    for (value, file) in zip(xml + binary, try Plistlib.rewrite(files)) {
      expectSame(try PropertyList.decode(file).value, value, "seeds 0 to 9")
    }
  }

  // P-8
  @Test func `reals are written as C's %.17g writes them`() throws {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<20_000 {
      let real = Double(bitPattern: random.next())
      guard real.isFinite, real != 0 else { continue }
      let xml = String(decoding: try PropertyList.encode(.real(real), as: .xml), as: UTF8.self)
      let known = String(format: "%.17g", real)
      #expect(xml.contains("<real>\(known)</real>"), "seed 17: \(known)")
    }
  }

  private func expectSame(
    _ read: PropertyListValue, _ written: PropertyListValue, _ seed: Comment
  ) {
    let difference = read.difference(from: written)
    #expect(difference == nil, seed)
  }
}
