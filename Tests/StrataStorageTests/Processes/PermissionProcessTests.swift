import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Who may read the files, and links.
@Suite(.serialized, .waiting) struct PermissionProcessTests {
  // S-12
  @Test func `files are for their user only, whatever the mask`() throws {
    let place = try Place()
    chmod(place.directory, 0o755)
    let paths = StorePaths(identifier: "com.example.deep", in: place.directory + "/one/two")
    let shell = try Probe(
      ["-c", "umask 0; exec \"$0\" serve \"$1\"", Probe.program, paths.plist], program: "/bin/sh")
    _ = try shell.line()
    try shell.ask("set A 1")
    #expect(try shell.ask("flush") == "true")
    for path in [paths.plist, paths.journal, paths.lockFile] { #expect(try mode(path) == 0o600) }
    for path in [place.directory + "/one", paths.directory, paths.hidden] {
      #expect(try mode(path) == 0o700)
    }
  }

  // S-12
  @Test func `a read of a program with the rights of another user makes nothing`() throws {
    let place = try Place()
    let paths = StorePaths(identifier: "com.example.deep", in: place.directory + "/one/two")
    let elevated = StorageProcess(on: LimitedDisk(isElevated: true), isAutomatic: false)
    let store = elevated.store(at: paths)
    #expect(store.value(forKey: "A") == nil)
    #expect(try place.names() == [])
    // It hears of what is made by others all the same, and makes what a set needs.
    let other = StorageProcess(on: SystemFileSystem(), isAutomatic: false)
    try other.store(at: paths).set(.integer(1), forKey: "A")
    #expect(holds(within: 600) { store.integer(forKey: "A") == 1 })
    let own = StorePaths(identifier: "com.example.own", in: place.directory + "/three")
    try elevated.store(at: own).set(.integer(2), forKey: "A")
    #expect(try mode(own.journal) == 0o600)
  }

  // S-12
  @Test(.enabled(if: geteuid() == 0, "only root can give a home to another user"))
  func `a read in the home of another user makes nothing`() throws {
    let place = try Place()
    chown(place.directory, 1234, 1234)
    let paths = StorePaths(identifier: "com.example.deep", in: place.directory + "/one/two")
    let store = StorageProcess(on: SystemFileSystem(), isAutomatic: false).store(at: paths)
    #expect(store.value(forKey: "A") == nil)
    #expect(try place.names() == [])
    try store.set(.integer(1), forKey: "A")
    #expect(try SystemFileSystem().status(of: paths.journal)?.owner.user == 1234)
  }

  // S-12
  @Test func `a stricter mode and an owner stay`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["A": 1]))
    chmod(place.plist, 0o400)
    chown(place.plist, 1234, 1234)
    let probe = try place.serve()
    try probe.ask("set A 2")
    #expect(try probe.ask("flush") == "true")
    #expect(try mode(place.plist) == 0o400)
    let status = try #require(try SystemFileSystem().status(of: place.plist))
    #expect(status.owner == FileOwner(user: 1234, group: 1234))
    #expect(try place.plistValues() == ["A": .integer(2)])
  }

  // S-12, S-8
  @Test func `a linked plist is followed, stays a link, and is watched where it is`() throws {
    let place = try Place()
    let other = try Place()
    try other.exchange(other.plist, try foreignList(["A": 1]))
    symlink(other.plist, place.plist)
    let probe = try place.serve()
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set A 2")
    #expect(try probe.ask("flush") == "true")
    #expect(try SystemFileSystem().resolve(place.plist) == other.plist)
    #expect(try other.plistValues() == ["A": .integer(2)])
    for number in [Int64(3), 4] {
      try other.exchange(other.plist, try foreignList(["A": number]))
      #expect(!(try probe.ask("await A \(number)")).hasPrefix("never"))
    }
    // The link itself is bent elsewhere, and the file there is edited.
    let third = try Place()
    try third.exchange(third.plist, try foreignList(["A": 5]))
    symlink(third.plist, place.plist + ".new")
    rename(place.plist + ".new", place.plist)
    #expect(!(try probe.ask("await A 5")).hasPrefix("never"))
    try third.exchange(third.plist, try foreignList(["A": 6]))
    #expect(!(try probe.ask("await A 6")).hasPrefix("never"), "after the link was bent")
  }

  private func mode(_ path: String) throws -> UInt32? {
    try SystemFileSystem().status(of: path)?.mode
  }
}
