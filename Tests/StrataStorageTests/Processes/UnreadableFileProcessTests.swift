import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Files that are there, and that this user may not read for now.
@Suite(.serialized, .enabled(if: geteuid() == 0, "it needs another user"), .waiting)
struct UnreadableFileProcessTests {
  private static let user: UInt32 = 65534

  /// A domain of another user with this value, and a process of that user.
  private func makePlace() throws -> (Place, Probe) {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["old": 1]))
    #expect(try run("chown", "-R", "\(Self.user)", place.directory) != nil)
    let probe = try place.serve()
    #expect(try probe.ask("become \(Self.user)") == "ok")
    return (place, probe)
  }

  private func number(of path: String) throws -> UInt64? {
    try SystemFileSystem().status(of: path)?.number
  }

  // S-24
  @Test func `a plist that may not be read stays, and gets what was set once it may be`() throws {
    let (place, probe) = try makePlace()
    chmod(place.plist, 0)
    let number = try number(of: place.plist)
    try probe.ask("set new 1")
    #expect(try [probe.ask("get new"), probe.ask("get old")] == ["1", "nil"])
    #expect(try [probe.ask("sync"), probe.ask("flush")] == ["false", "false"])
    let issues = try probe.ask("issues")
    #expect(issues.contains("Permission denied") && issues.contains("permission to read"))
    #expect(
      try keepsHolding(for: 1.5) { try self.number(of: place.plist) == number },
      "it was moved by a flush")
    chmod(place.plist, 0o600)
    #expect(!(try probe.ask("await old 1")).hasPrefix("never"))
    // The file has its name before the journal stands on it.
    #expect(
      try holds(within: 600) {
        try place.plistValues() == ["old": .integer(1), "new": .integer(1)]
          && probe.ask("issues") == ""
      })
    #expect(try probe.ask("sync") == "true")
    #expect(try place.names().filter { $0.contains("damaged") } == [])
  }

  // S-24
  @Test(arguments: [0o700, 0o1777] as [mode_t], [EIO, ENOMEM])
  func `a link that can't be read is no file that a flush may replace`(
    mode: mode_t, code: Int32
  ) throws {
    let (place, target) = (try Place(), try Place())
    try target.exchange(target.plist, try foreignList(["old": 1]))
    chmod(place.directory, mode)
    symlink(target.plist, place.plist)
    let probe = try place.serve()
    try #require(try probe.ask("get old") == "1" && probe.ask("set new 1") == "ok")
    try #require(try probe.ask("refuse-links \(code)") == "ok")
    #expect(try probe.ask("flush") == "false")
    let reason = try probe.ask("issues")
    #expect(reason.contains(String(cString: strerror(code))), "\(reason)")
    #expect(try probe.finish() == .exited(0))
    #expect(SystemFileSystem.linkTarget(of: place.plist) == target.plist)
    #expect(place.freshValues() == ["old": .integer(1), "new": .integer(1)])
  }

  // S-24
  @Test func `a plist that becomes unreadable in use costs no value`() throws {
    let (place, probe) = try makePlace()
    #expect(try probe.ask("get old") == "1")
    try probe.ask("set first 1")
    chmod(place.plist, 0)
    try probe.ask("set second 2")
    #expect(try [probe.ask("get old"), probe.ask("sync")] == ["1", "false"])
    chmod(place.plist, 0o600)
    #expect(try holds(within: 600) { try probe.ask("flush") == "true" })
    #expect(
      try place.plistValues()
        == ["old": .integer(1), "first": .integer(1), "second": .integer(2)])
  }

  // S-24, S-8
  @Test func `an edit that can't be read for now loses against what is set after it, else wins`()
    throws
  {
    let (place, probe) = try makePlace()
    try probe.ask("set mine 1")
    #expect(try probe.ask("flush") == "true")
    try place.overwrite(place.plist + ".edited", try foreignList(["old": 2, "mine": 2]))
    chmod(place.plist + ".edited", 0)
    rename(place.plist + ".edited", place.plist)
    try probe.ask("set mine 3")
    #expect(try [probe.ask("get mine"), probe.ask("sync")] == ["3", "false"])
    chown(place.plist, Self.user, Self.user)
    chmod(place.plist, 0o600)
    #expect(try holds(within: 600) { try probe.ask("flush") == "true" })
    #expect(try place.plistValues() == ["old": .integer(2), "mine": .integer(3)])
    #expect(try [probe.ask("get old"), probe.ask("get mine")] == ["2", "3"])
  }

  // S-24
  @Test func `what another user writes over a file that one can't read is no end of it`() throws {
    let (place, probe) = try makePlace()
    chmod(place.plist, 0)
    try probe.ask("set new 1")
    // Who may read everything stores what is pending.
    let other = try place.serve()
    try other.ask("set other 1")
    #expect(try other.ask("flush") == "true")
    try probe.ask("set newer 1")
    chmod(place.plist, 0o600)
    #expect(try holds(within: 600) { try probe.ask("flush") == "true" })
    #expect(
      try place.plistValues()
        == [
          "old": .integer(1), "new": .integer(1), "other": .integer(1), "newer": .integer(1),
        ])
  }

  // S-24
  @Test(arguments: [true, false])
  func `a journal or directory that may not be read is said, and stays`(isJournal: Bool) throws {
    let (place, probe) = try makePlace()
    try probe.ask("set pending 1")
    #expect(try probe.finish() == .exited(0))
    let path = isJournal ? place.paths.journal : place.directory
    let number = try number(of: path)
    chmod(path, 0)
    let next = try place.serve()
    #expect(try next.ask("become \(Self.user)") == "ok")
    try next.ask("set new 1")
    #expect(try [next.ask("get new"), next.ask("sync")] == ["1", "false"])
    let issues = try next.ask("issues")
    #expect(issues.contains(isJournal ? ".journal: unreadable" : "unreadable"), "\(issues)")
    #expect(issues.contains("Permission denied"))
    #expect(try self.number(of: path) == number)
    chmod(path, isJournal ? 0o600 : 0o700)
    #expect(try holds(within: 600) { try next.ask("flush") == "true" })
    #expect(
      try place.plistValues()
        == ["old": .integer(1), "pending": .integer(1), "new": .integer(1)])
    #expect(try next.ask("issues") == "")
  }
}
