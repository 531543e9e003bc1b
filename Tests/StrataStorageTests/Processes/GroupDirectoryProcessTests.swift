import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Users who share a directory.
@Suite(.enabled(if: geteuid() == 0, "only root can become other users"), .serialized, .waiting)
struct GroupDirectoryProcessTests {
  private static let group: UInt32 = 777

  private func member(_ user: UInt32, of place: Place) throws -> Probe {
    let probe = try place.serve()
    #expect(try probe.ask("become \(user) \(Self.group)") == "ok")
    return probe
  }

  private func status(_ path: String) throws -> FileStatus {
    try #require(try SystemFileSystem().status(of: path))
  }

  // S-12
  @Test func `in a directory that is a group's its members use a domain together`() throws {
    let place = try Place()
    chown(place.directory, 1111, Self.group)
    chmod(place.directory, 0o2770)
    let first = try member(1111, of: place)
    try first.ask("set A 1")
    let second = try member(2222, of: place)
    #expect(try second.ask("get A") == "1")
    try second.ask("set B 2")
    #expect(try [first.ask("get B"), second.ask("sync")] == ["2", "true"])
    #expect(try second.ask("flush") == "true")
    try first.ask("set A 3")
    #expect(try [first.ask("flush"), second.ask("get A")] == ["true", "3"])
    // While one writes the file for long, the other says so.
    #expect(try holds(within: 600) { try second.ask("issues") == "" })
    let third = try member(3333, of: place)
    #expect(try [third.ask("get A"), third.ask("get B"), third.ask("issues")] == ["3", "2", ""])
    for path in [place.plist, place.paths.journal, place.paths.lockFile] {
      #expect(try status(path).mode == 0o660, "\(path)")
      #expect(try status(path).owner.group == Self.group, "\(path)")
    }
    #expect(try status(place.paths.hidden).mode == 0o2770)
  }

  // S-12
  @Test(arguments: [0o770, 0o2750, 0o3770] as [mode_t])
  func `in a directory that does not say so files are for one user`(mode: mode_t) throws {
    let place = try Place()
    chown(place.directory, 1111, Self.group)
    chmod(place.directory, mode)
    let first = try member(1111, of: place)
    try first.ask("set A 1")
    #expect(try first.ask("flush") == "true")
    let second = try member(2222, of: place)
    #expect(try second.ask("get A") == "nil")
    try second.ask("set B 2")
    #expect(try [second.ask("get B"), second.ask("sync")] == ["2", "false"])
    #expect(try second.ask("issues").contains("Permission denied"))
    #expect(try status(place.plist).mode == 0o600)
    #expect(try status(place.paths.hidden).mode & 0o777 == 0o700)
  }

  // S-12
  @Test func `a directory that is made in one of a group is for its user`() throws {
    let place = try Place()
    chown(place.directory, 1111, Self.group)
    chmod(place.directory, 0o2770)
    let probe = try Probe.serving(place.directory + "/one/com.example.plist")
    #expect(try probe.ask("become 1111 \(Self.group)") == "ok")
    try probe.ask("set A 1")
    #expect(try probe.ask("flush") == "true")
    #expect(try status(place.directory + "/one").mode & 0o777 == 0o700)
    #expect(try status(place.directory + "/one/com.example.plist").mode == 0o600)
  }

  // S-12
  @Test func `a stricter mode of a list stays in a directory of a group`() throws {
    let place = try Place()
    chown(place.directory, 1111, Self.group)
    chmod(place.directory, 0o2770)
    try place.overwrite(place.plist, try foreignList(["A": 1]))
    chmod(place.plist, 0o600)
    chown(place.plist, 1111, Self.group)
    let probe = try member(1111, of: place)
    try probe.ask("set A 2")
    #expect(try probe.ask("flush") == "true")
    #expect(try status(place.plist).mode == 0o600)
  }
}
