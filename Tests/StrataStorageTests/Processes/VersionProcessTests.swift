import Testing

@testable import StrataStorage

/// Files of a version that is yet to be written.
@Suite(.serialized) struct VersionProcessTests {
  // S-15
  @Test func `a journal of a newer format is refused and left as it is`() throws {
    let place = try Place()
    let old = try place.serve()
    try old.ask("set A 1")
    #expect(try old.ask("flush") == "true")
    #expect(try old.finish() == .exited(0))
    var bytes = try place.bytes(of: place.paths.journal)
    bytes[8] = 3
    for index in 12..<16 { bytes[index] = 0 }
    let sum = checksum32(Array(bytes.prefix(JournalHeader.size)))
    for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    try place.overwrite(place.paths.journal, bytes)
    let plist = try place.bytes(of: place.plist)

    let probe = try place.serve()
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set A 2")
    #expect(
      try [probe.ask("get A"), probe.ask("sync"), probe.ask("flush")] == ["2", "false", "false"])
    let issues = try probe.ask("issues")
    #expect(issues.contains("newerFormat") && issues.contains("format 3"), "\(issues)")
    #expect(try probe.finish() == .exited(0))
    #expect(try place.bytes(of: place.paths.journal) == bytes)
    #expect(try place.bytes(of: place.plist) == plist)
    #expect(try place.names().filter { $0.contains("damaged") } == [])
  }
}
