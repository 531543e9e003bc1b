import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Finding keys in a file of which only a few records are read.
@Suite struct RecordSearchTests {
  /// A file, where its records end, and keys that it does not have, one beside each that it has.
  private struct Sample {
    let values: [String: PropertyListValue]
    let bytes: [UInt8]
    let end: PlistEnd
    let absent: [String]

    init(seed: UInt64, count: Int) throws {
      var generator = ValueGenerator(seed: seed)
      try self.init(CheckedPlistTests.dictionary(generator.entries(count)))
    }

    init(_ values: [String: PropertyListValue]) throws {
      self.values = values
      bytes = CheckedPlist.encode(values.map { ($0.key, $0.value) })
      end = try #require(try RecordSearchTests.end(of: bytes))
      let neighbors = values.keys.flatMap { [$0 + "\u{1}", String($0.unicodeScalars.dropLast())] }
      let spellings = Set(values.keys.map { Array($0.utf8) })
      absent = (neighbors + ["", "\u{10FFFF}"]).filter { !spellings.contains(Array($0.utf8)) }
    }
  }

  /// Searches bytes, and counts those that are read.
  private func find(
    _ key: String, in bytes: [UInt8], end: PlistEnd, window: Int = 4_096, count: inout Int
  ) throws -> RecordSearch.Result {
    let read = Guarded(0)
    var search = RecordSearch(end, windowSize: window) {
      (offset, size) throws(StorageError) in
      let part = Array(bytes.dropFirst(offset).prefix(size))
      read.withLock { $0 += part.count }
      return part
    }
    let result = try search.find(key)
    count += read.withLock { $0 }
    return result
  }

  private func find(
    _ key: String, in bytes: [UInt8], end: PlistEnd, window: Int = 4_096
  ) throws -> RecordSearch.Result {
    var count = 0
    return try find(key, in: bytes, end: end, window: window, count: &count)
  }

  @Test(arguments: [0, 1, 2, 3, 10, 300], [64, 4_096])
  func `each key is found, and each other one is proved to be absent`(
    count: Int, window: Int
  ) throws {
    for seed in 0..<4 as Range<UInt64> {
      let sample = try Sample(seed: seed, count: count)
      var unproved = 0
      for (key, value) in sample.values {
        switch try find(key, in: sample.bytes, end: sample.end, window: window) {
        case .value(let found): #expect(found == value, "\(key)")
        case .absent: Issue.record("\(key) is not found")
        case .unproved: unproved += 1
        }
      }
      for key in sample.absent {
        switch try find(key, in: sample.bytes, end: sample.end, window: window) {
        case .value: Issue.record("\(key) is found")
        case .absent: break
        case .unproved: unproved += 1
        }
      }
      // A large value takes more than a search may cost.
      let all = sample.values.count + sample.absent.count
      #expect(unproved <= (window == 64 ? all / 10 : 0), "\(unproved) of \(all)")
    }
  }

  @Test func `a key of many is found by reading a few records`() throws {
    let sample = try Sample(
      Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("key \($0)", .integer(Int64($0))) }))
    for (key, value) in sample.values.shuffled().prefix(200) {
      var count = 0
      guard
        case .value(value) = try find(key, in: sample.bytes, end: sample.end, count: &count)
      else {
        Issue.record("\(key) is not found")
        continue
      }
      #expect(count < sample.bytes.count / 15)
    }
  }

  // S-9a
  @Test(arguments: [1, 2, 3, 12])
  func `no flipped bit leads to a wrong value, or to a key that seems absent`(
    count: Int
  ) throws {
    let sample = try Sample(seed: UInt64(count), count: count)
    var proofs = 0
    for bit in 0..<(8 * sample.bytes.count) {
      var bytes = sample.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      proofs += try checkAnswers(bytes, sample, sample.end, "bit \(bit)")
    }
    #expect(proofs > sample.bytes.count)
  }

  // S-9a
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `no damaged block leads to a wrong value, or to a key that seems absent`(
    seed: UInt64
  ) throws {
    let sample = try Sample(seed: seed, count: 60)
    var random = SeededGenerator(seed: seed)
    for trial in 0..<40 {
      var bytes = sample.bytes
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let count = Int.random(in: 1...512, using: &random)
      switch trial % 3 {
      case 0: for place in start..<min(bytes.count, start + count) { bytes[place] = 0 }
      case 1: bytes.removeSubrange(start..<min(bytes.count, start + count))
      default: bytes.insert(contentsOf: bytes.prefix(count), at: start)
      }
      _ = try checkAnswers(bytes, sample, sample.end, "trial \(trial)")
    }
  }

  // S-9a
  @Test func `a wrong end of the records leads to no wrong answer`() throws {
    let sample = try Sample(seed: 3, count: 12)
    var end = sample.end
    for offset in 0...sample.bytes.count {
      end.recordsEnd = offset
      _ = try checkAnswers(sample.bytes, sample, end, "end \(offset)")
    }
  }

  /// - Returns: how many answers are proved.
  private func checkAnswers(
    _ bytes: [UInt8], _ sample: Sample, _ end: PlistEnd, _ name: String
  ) throws -> Int {
    var proofs = 0
    for window in [64, 4_096] {
      for (key, value) in sample.values {
        switch try find(key, in: bytes, end: end, window: window) {
        case .value(let found):
          proofs += 1
          if found != value { Issue.record("\(name): \(key) is wrong") }
        case .absent: Issue.record("\(name): \(key) seems absent")
        case .unproved: break
        }
      }
      for key in sample.absent.prefix(8) {
        switch try find(key, in: bytes, end: end, window: window) {
        case .value: Issue.record("\(name): \(key) is found")
        case .absent: proofs += 1
        case .unproved: break
        }
      }
    }
    return proofs
  }

  // P-7
  @Test func `a whole file inside a value is not searched`() throws {
    let inner = try Sample(seed: 1, count: 40)
    let sample = try Sample(["a": .data(inner.bytes), "z": .boolean(true)])
    for key in inner.values.keys where key != "a" && key != "z" {
      if case .value = try find(key, in: sample.bytes, end: sample.end, window: 64) {
        Issue.record("\(key) is found")
      }
    }
  }

  // P-7
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `nonsense with right checksums is searched without a trap, and not for long`(
    seed: UInt64
  ) throws {
    let sample = try Sample(seed: seed, count: 20)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let bytes = CheckedPlistDamageTests.nonsense(like: sample.bytes, using: &random)
      var whole = RecordSearch(bytes)
      for key in sample.values.keys {
        var count = 0
        _ = try whole?.find(key)
        _ = try find(key, in: bytes, end: sample.end, window: 64, count: &count)
        #expect(count <= max(16 * 64, sample.end.recordsEnd / 4) + 8)
      }
    }
  }

  private static func end(of bytes: [UInt8]) throws -> PlistEnd? {
    try PlistEnd(size: bytes.count) { (offset, count) throws(StorageError) in
      Array(bytes.dropFirst(offset).prefix(count))
    }
  }

  // P-7
  @Test func `the end of a file tells its identity, and where its records end`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let sample = try Sample(seed: seed, count: Int(seed))
      #expect(sample.end.identity == PlistIdentity(of: sample.bytes))
      let top = try sample.bytes.withUnsafeBytes { buffer in
        let trailer = try #require(BinaryTrailer(ByteView(buffer)))
        return try #require(BinaryReader.topDictionary(ByteView(buffer), trailer)).offset
      }
      #expect(sample.end.recordsEnd == top)
    }
  }

  // S-9a
  @Test func `a file of another program, or one that is cut off, has no such end`() throws {
    let foreign = try PropertyList.encode(.dictionary(["a": .integer(1)]), as: .binary)
    #expect(try Self.end(of: foreign) == nil)
    let bytes = try Sample(seed: 1, count: 3).bytes
    for count in 1...bytes.count { #expect(try Self.end(of: Array(bytes.dropLast(count))) == nil) }
  }

  // -- Values that are made to mislead

  /// Keys before and after one key, whose value the bytes of `body` are for where they begin.
  private func list(
    keys: Int = 2_000, around body: (_ start: Int) -> [UInt8]
  ) throws -> [UInt8] {
    var values: [String: PropertyListValue] = ["n": .integer(0)]
    for number in 1_000..<(1_000 + keys) {
      values["a key \(number)"] = .integer(1)
      values["z key \(number)"] = .integer(1)
    }
    let size = body(0).count
    let mark = [UInt8](repeating: 0x55, count: size)
    values["m"] = .data(mark)
    let draft = CheckedPlist.encode(values.map { ($0.key, $0.value) })
    let start = try #require(
      draft.indices.first { draft[$0] == 0x55 && draft[$0...].starts(with: mark) })
    values["m"] = .data(body(start))
    return CheckedPlist.encode(values.map { ($0.key, $0.value) })
  }

  /// A record of a key, sound at an offset.
  private func record(_ key: String, at offset: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: RecordPrefix.size)
    bytes += [0x50 | UInt8(key.utf8.count)] + Array(key.utf8) + [0x10, 1]
    bytes.withUnsafeMutableBytes {
      RecordPrefix.write(over: $0, at: offset, referenceSize: 2, keyObject: 1)
    }
    return bytes
  }

  // P-7
  @Test(arguments: ["n", "m1", "b", "x"])
  func `a value passes for no record, whatever it holds`(forged: String) throws {
    let bytes = try list { start in
      var bytes: [UInt8] = []
      while bytes.count < 200_000 { bytes += record(forged, at: start + bytes.count) }
      return bytes
    }
    for (key, value) in [("n", 0), ("m1", nil), ("b", nil), ("x", nil)] as [(String, Int64?)] {
      var search = try #require(RecordSearch(bytes))
      switch try search.find(key) {
      case .value(let found): #expect(found == value.map { .integer($0) })
      case .absent: #expect(value == nil)
      case .unproved: break
      }
    }
  }

  // S-11, S-23
  @Test(arguments: [false, true])
  func `a search gives up when it sums too many bytes in vain`(isHostile: Bool) throws {
    let length = UInt32(300)
    let start =
      [0x4E, 0xA7, 1, 1, 2, 3, 4] + withUnsafeBytes(of: length.littleEndian) { Array($0) }
      + [0, 0, 0, 0]
    // Each start is summed over 300 bytes: twenty times what is read.
    let junk = isHostile ? start : [UInt8](repeating: 0, count: start.count)
    let bytes = try list(keys: 7_000) { _ in Array(repeatElement(junk, count: 4_000).joined()) }
    var search = try #require(RecordSearch(bytes))
    switch try search.find("n") {
    case .value(let found): #expect(!isHostile && found == .integer(0))
    case .absent: Issue.record("it is there")
    case .unproved: #expect(isHostile)
    }
  }
}
