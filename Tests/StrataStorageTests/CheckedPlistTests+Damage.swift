import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// That damage is always seen, and that what it did not touch is saved.
struct CheckedPlistDamageTests {
  enum Damage: CaseIterable {
    case flippedBit, truncation, zeroedSector, zeroedPage
  }

  struct Sample {
    var values: [String: PropertyListValue]
    var bytes: [UInt8]
    /// Where each key's record lies, prefix included.
    var records: [(key: String, range: Range<Int>)]
  }

  // P-7
  @Test(arguments: 0..<6)
  func `damage is seen and spares the records that it does not touch`(seed: UInt64) throws {
    let sample = try sample(seed: seed, count: 1000)
    var random = SeededGenerator(seed: seed &+ 1000)
    for trial in 0..<100 {
      let kind = Damage.allCases[trial % Damage.allCases.count]
      let (damaged, touched) = apply(kind, to: sample.bytes, using: &random)
      guard damaged != sample.bytes else { continue }
      let name: Comment = "seed \(seed), trial \(trial), \(kind) at \(touched)"
      #expect(verdict(damaged) == "damaged", name)
      check(CheckedPlist.salvage(damaged), of: sample, touched, name)
    }
  }

  @Test func `every single flipped bit of a small file is seen`() throws {
    for count in [0, 1, 3] {
      let sample = try sample(seed: 5, count: count)
      for bit in 0..<(8 * sample.bytes.count) {
        var damaged = sample.bytes
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        let touched = (bit / 8)..<(bit / 8 + 1)
        let name: Comment = "\(count) keys, bit \(bit)"
        #expect(verdict(damaged) == "damaged", name)
        check(CheckedPlist.salvage(damaged), of: sample, touched, name)
      }
    }
  }

  @Test func `every truncation of a small file is seen`() throws {
    let sample = try sample(seed: 6, count: 3)
    for length in 1..<sample.bytes.count {
      let damaged = Array(sample.bytes.prefix(length))
      #expect(verdict(damaged) == "damaged", "\(length) bytes left")
      check(
        CheckedPlist.salvage(damaged), of: sample, length..<sample.bytes.count,
        "\(length) bytes left")
    }
  }

  @Test func `an intact file has lost nothing`() throws {
    let sample = try sample(seed: 8, count: 100)
    let salvage = CheckedPlist.salvage(sample.bytes)
    #expect(salvage.entries.count == 100)
    #expect(salvage.damagedCount == 0)
  }

  @Test func `lost records are counted by the dictionary when it is still there`() throws {
    let sample = try sample(seed: 8, count: 100)
    for lost in [1, 2, 10] {
      var damaged = sample.bytes
      for record in sample.records.prefix(lost) { damaged[record.range.upperBound - 1] ^= 0xFF }
      let salvage = CheckedPlist.salvage(damaged)
      #expect(salvage.entries.count == 100 - lost)
      #expect(salvage.damagedCount == lost)
    }
  }

  // P-7
  @Test func `a file of false starts is searched in bounded time`() {
    // What took the square of the time would not end.
    let start: [UInt8] = [0x4E, 0xA7, 1, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0]
    let hostile = Array("bplist00".utf8) + Array(repeatElement(start, count: 800_000).joined())
    #expect(CheckedPlist.salvage(hostile).entries.isEmpty)
  }

  // P-7
  @Test(arguments: 0..<20)
  func `bytes that match their checksum and are nonsense never trap`(seed: UInt64) throws {
    let sample = try sample(seed: seed, count: 20)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let resigned = Self.nonsense(like: sample.bytes, using: &random)
      _ = CheckedPlist.salvage(resigned)
      guard case .intact(let index) = CheckedPlist.inspect(resigned) else { continue }
      _ = index.entries()
      for key in sample.values.keys { _ = index.value(forKey: key) }
    }
  }

  @Test func `the check of these tests finds a wrong value and a lost one`() throws {
    let sample = try sample(seed: 1, count: 10)
    var salvage = CheckedPlist.salvage(sample.bytes)
    salvage.entries[3].value = .string("not what was written")
    withKnownIssue { check(salvage, of: sample, 0..<0, "canary") }
    salvage.entries.remove(at: 3)
    withKnownIssue { check(salvage, of: sample, 0..<0, "canary") }
    withKnownIssue { #expect(verdict(sample.bytes) == "damaged", "canary") }
  }
}

extension CheckedPlistDamageTests {
  private func sample(seed: UInt64, count: Int) throws -> Sample {
    var generator = ValueGenerator(seed: seed)
    let values = CheckedPlistTests.dictionary(generator.entries(count))
    let bytes = CheckedPlist.encode(values.map { ($0.key, $0.value) })
    let keys = KeyOrder.sorted(values).map(\.key)
    var records: [(key: String, range: Range<Int>)] = []
    var place = 8
    bytes.withUnsafeBytes { buffer in
      for key in keys {
        guard let prefix = RecordPrefix(ByteView(buffer), at: place) else { break }
        let end = place + RecordPrefix.size + prefix.length
        records.append((key, place..<end))
        place = end
      }
    }
    try #require(records.count == count)
    return Sample(values: values, bytes: bytes, records: records)
  }

  /// The same with a few random bytes, and every checksum right.
  static func nonsense(like bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
    return CheckedPlist.resigned(bytes)
  }

  private func apply(
    _ kind: Damage, to bytes: [UInt8], using random: inout SeededGenerator
  ) -> (bytes: [UInt8], touched: Range<Int>) {
    var damaged = bytes
    let place = Int.random(in: 1..<bytes.count, using: &random)
    switch kind {
    case .flippedBit:
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      return (damaged, place..<(place + 1))
    case .truncation:
      return (Array(bytes.prefix(place)), place..<bytes.count)
    case .zeroedSector, .zeroedPage:
      let size = kind == .zeroedPage ? 4096 : 512
      let start = place / size * size
      let touched = start..<min(bytes.count, start + size)
      damaged.replaceSubrange(touched, with: repeatElement(0, count: touched.count))
      return (damaged, touched)
    }
  }

  private func check(
    _ salvage: CheckedPlist.Salvage, of sample: Sample, _ touched: Range<Int>, _ name: Comment
  ) {
    let saved = CheckedPlistTests.dictionary(salvage.entries)
    let wrong = saved.filter { sample.values[$0.key] != $0.value }.map(\.key)
    #expect(wrong.isEmpty, name)
    let untouched = sample.records.filter { !$0.range.overlaps(touched) }
    let missing = untouched.filter { saved[$0.key] == nil }.map(\.key)
    #expect(missing.isEmpty, name)
    if !touched.isEmpty { #expect(salvage.damagedCount >= 1, name) }
  }
}
