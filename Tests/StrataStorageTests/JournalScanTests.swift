import StrataPropertyList
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
    JournalScan(bytes, offset: start, salt: 7, soundEnd: soundEnd, unsound: unsound)
      .changeSets.flatMap(\.changes).map(\.key)
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
}
