import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Files of a version that is yet to be written, and of the one before.
@Suite(.serialized, .waiting) struct VersionProcessTests {
  // S-15
  @Test func `a journal of a newer format is refused and left as it is`() throws {
    let place = try Place()
    place.isLeftBroken = true
    let old = try place.serve()
    try old.ask("set A 1")
    #expect(try old.ask("flush") == "true")
    #expect(try old.finish() == .exited(0))
    var bytes = try place.bytes(of: place.paths.journal)
    bytes[8] = 3
    Self.seal(&bytes)
    try place.overwrite(place.paths.journal, bytes)
    let plist = try place.bytes(of: place.plist)

    let probe = try place.serve()
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set A 2")
    #expect(
      try [probe.ask("get A"), probe.ask("sync"), probe.ask("flush")] == ["2", "false", "false"])
    let issues = try probe.ask("issues")
    #expect(issues.contains("newerFormat") && issues.contains("format is 3"), "\(issues)")
    #expect(try probe.finish() == .exited(0))
    #expect(try place.bytes(of: place.paths.journal) == bytes)
    #expect(try place.bytes(of: place.plist) == plist)
    #expect(try place.names().filter { $0.contains("damaged") } == [])
  }

  /// What a program of version 1 left when it ended, or died.
  enum Remains: CaseIterable { case whole, retired, locked, ofAnotherBoot }

  // S-15, S-3
  @Test(arguments: Remains.allCases)
  func `what is pending in a journal of version 1 is kept`(remains: Remains) throws {
    let place = try Place()
    let old = try place.serve()
    try old.ask("set A 1")
    #expect(try old.ask("flush") == "true")
    for number in 2...4 { try old.ask("set A \(number)") }
    try old.ask("set B 5")
    old.kill(SIGKILL)
    _ = try old.wait()
    var bytes = try place.bytes(of: place.paths.journal)
    let store = place.freshStore()
    store.refresh()
    let length = try #require(store.journal).length
    Self.makeVersion1(&bytes, length: length, remains)
    try place.overwrite(place.paths.journal, bytes)

    let (first, second) = (try place.serve(), try place.serve())
    #expect(try [first.ask("get A"), second.ask("get B")] == ["4", "5"])
    try first.ask("set A 6")
    #expect(try second.ask("get A") == "6")
    #expect(try [first.ask("sync"), second.ask("flush")] == ["true", "true"])
    // While one writes the file for long, the other says so.
    #expect(
      try holds(within: 600) { try [first.ask("issues"), second.ask("issues")] == ["", ""] })
    #expect(try first.ask("check") == "")
    #expect(try place.plistValues() == ["A": .integer(6), "B": .integer(5)])
    #expect(try [first.finish(), second.finish()] == [.exited(0), .exited(0)])
  }

  private static func makeVersion1(_ bytes: inout [UInt8], length: Int, _ remains: Remains) {
    bytes[8] = 1
    for index in 24..<32 { bytes[index] = 0 }
    if remains == .ofAnotherBoot { bytes[64] ^= 1 }
    seal(&bytes)
    let low = UInt64(length)
    let retired: UInt64 = remains == .retired ? 1 << 63 : 0
    let word = low | ((low &* 0x9E37_79B9_7F4A_7C15) >> 33) << 32 | retired
    put(word, at: 128, in: &bytes)
    if remains == .locked { put(1 << 30 | 12_345, at: 192, in: &bytes) }
  }

  private static func put(_ word: UInt64, at offset: Int, in bytes: inout [UInt8]) {
    for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
  }

  private static func seal(_ bytes: inout [UInt8]) {
    for index in 12..<16 { bytes[index] = 0 }
    let sum = checksum32(Array(bytes.prefix(JournalHeader.size)))
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
  }
}
