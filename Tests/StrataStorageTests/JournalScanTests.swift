import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Which records of a journal count.
@Suite struct JournalScanTests {
  private let start = JournalLayout.recordsStart

  private func record(
    _ key: String, after previous: UInt32 = 0, at offset: Int
  ) -> (bytes: [UInt8], sum: UInt32) {
    let changes = ChangeSet([Change(key: key, value: .integer(1))])
    return JournalRecord.bytes(changes, salt: 7, previous: previous, offset: offset)
  }

  private func keys(_ bytes: [UInt8], _ unsound: JournalScan.Unsound, soundEnd: Int = 0) -> [String]
  {
    let journal = JournalHeader(id: 7, base: .absent, boot: BootID(high: 0, low: 1))
    return JournalScan(bytes, offset: start, of: journal, soundEnd: soundEnd, unsound: unsound)
      .allChanges().flatMap(\.changes).map(\.key)
  }

  // S-4
  @Test func `after a power cut a record counts only behind the one that it followed`() {
    let first = record("a", at: start)
    let second = record("b", after: first.sum, at: start + first.bytes.count)
    let third = record("c", after: second.sum, at: start + first.bytes.count + second.bytes.count)
    #expect(keys(first.bytes + second.bytes + third.bytes, .end) == ["a", "b", "c"])
    // Written by a process that died before it committed it, and on the disk instead of the second.
    let other = record("x", after: first.sum, at: start + first.bytes.count)
    #expect(other.bytes.count == second.bytes.count)
    #expect(keys(first.bytes + other.bytes + third.bytes, .end) == ["a", "x"])
  }

  // S-9a
  @Test func `a damaged record costs itself and not those behind it`() {
    let first = record("a", at: start)
    var second = record("b", after: first.sum, at: start + first.bytes.count)
    let third = record("c", after: second.sum, at: start + first.bytes.count + second.bytes.count)
    second.bytes[JournalRecord.headerSize] ^= 1
    let bytes = first.bytes + second.bytes + third.bytes
    #expect(keys(bytes, .damage) == ["a", "c"])
    #expect(keys(bytes, .end, soundEnd: start + bytes.count) == ["a", "c"])
    #expect(keys(bytes, .end) == ["a"])
  }

  // S-9a
  @Test(arguments: UInt64(1)...20)
  func `a stretch of random bytes costs itself and not what is behind it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let first = record("a", at: start)
    let noise = (0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &random) }
    let second = record("b", at: start + first.bytes.count + noise.count)
    let bytes = first.bytes + noise + second.bytes
    #expect(keys(bytes, .damage) == ["a", "b"], "seed \(seed)")
    let unsalted = JournalScan(bytes, offset: start, of: nil)
    #expect(unsalted.allChanges().flatMap(\.changes).map(\.key) == ["a", "b"], "seed \(seed)")
  }

  // S-23, S-11
  @Test func `what looks like a record everywhere is given up in linear time`() {
    // Every eighth byte begins a record that would reach to the end, and has a wrong checksum.
    let count = 1 << 20
    var bytes: [UInt8] = []
    for position in stride(from: 0, to: count, by: 8) {
      let payload = UInt32(max(0, count - position - 64))
      bytes += [7, 0, 0, 0] + withUnsafeBytes(of: payload.littleEndian) { Array($0) }
    }
    #expect(keys(bytes, .damage) == [])
    let scan = JournalScan(bytes, offset: start, of: nil)
    #expect(scan.count == 0 && scan.damagedCount > 0)
  }

  // S-23, S-11
  @Test func `arrays in a record take no memory for elements that they can't have`() {
    // 500 arrays inside of each other, each of which claims all bytes behind it.
    let size = 4 << 20
    var payload: [UInt8] = [1, 1, 0x61]
    for _ in 0..<500 { payload += [10 + 1, 0x80, 0x80, 0x80, 0x01] }
    payload += [UInt8](repeating: 1, count: size - payload.count)
    let changes = payload.withUnsafeBytes { raw -> ChangeSet? in
      var reader = RecordReader(raw)
      return reader.changes()
    }
    #expect(changes == nil)
  }
}
