import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// That every reader of property lists accepts a domain's file.
struct CheckedPlistReaderTests {
  private func entries(_ seed: UInt64, _ limits: ValueGenerator.Limits) -> CheckedPlistTests.Entries
  {
    var generator = ValueGenerator(seed: seed, limits: limits)
    return generator.entries(Int(seed) * 20)
  }

  /// As a checkpoint writes it.
  private func encode(_ entries: CheckedPlistTests.Entries) -> [UInt8] {
    CheckedPlist.encode(
      entries, holding: JournalKnowledge(lineage: .max, generation: 3, length: 4_136))
  }

  // P-8
  @Test(arguments: 0..<20)
  func `Foundation reads a domain's file`(seed: UInt64) throws {
    var limits = ValueGenerator.Limits()
    limits.hasUIDs = false
    let entries = entries(seed, limits)
    let read = try FoundationValues.decode(encode(entries))
    let difference = read.difference(from: .dictionary(CheckedPlistTests.dictionary(entries)))
    #expect(difference == nil, "seed \(seed)")
  }

  // P-8
  @Test func `plistlib reads a domain's file, and what it writes is foreign`() throws {
    var limits = ValueGenerator.Limits()
    limits.hasSingles = false
    limits.hasFractionsOfSeconds = false
    limits.hasNegativeZero = false
    let samples = (0..<20).map { entries($0, limits) }
    let rewritten = try Plistlib.rewrite(samples.map(encode))
    for (entries, file) in zip(samples, rewritten) {
      let read = try PropertyList.decode(file).value
      let difference = read.difference(from: .dictionary(CheckedPlistTests.dictionary(entries)))
      #expect(difference == nil, "seeds 0 to 19")
      #expect(verdict(file) == "foreign")
    }
  }

  @Test func `what Foundation writes is foreign`() throws {
    for seed in UInt64(0)..<20 {
      var limits = ValueGenerator.Limits()
      limits.hasUIDs = false
      let value = PropertyListValue.dictionary(CheckedPlistTests.dictionary(entries(seed, limits)))
      #expect(verdict(try FoundationValues.encode(value, .binary)) == "foreign", "seed \(seed)")
    }
  }
}
