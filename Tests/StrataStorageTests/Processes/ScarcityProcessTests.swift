import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Full disks, limits, and places where nothing may be written.
@Suite(.serialized, .waiting) struct ScarcityProcessTests {
  static let isRoot = geteuid() == 0

  // S-10
  @Test func `on a full disk values live in memory, and are stored when there is space`() throws {
    guard let mount = try Mount(options: "size=2m,mode=700") else { return }
    let place = try Place(in: mount.directory)
    let probe = try place.serve()
    try probe.ask("set before 1")
    #expect(try probe.ask("flush") == "true")
    let stuffing = mount.directory + "/stuffing"
    _ = try run("dd", "if=/dev/zero", "of=\(stuffing)", "bs=4k")
    for index in 0..<40 { #expect(try probe.ask("set-text text\(index) 4000") == "ok") }
    #expect(try probe.ask("get text39").utf8.count == 4_000)
    #expect(try [probe.ask("sync"), probe.ask("get before")] == ["false", "1"])
    #expect(try probe.ask("issues").contains("No space left"))
    #expect(place.freshValues()["before"] == .integer(1))
    unlink(stuffing)
    try expectStored("text39", by: probe, in: place)
    #expect(try probe.ask("sync") == "true")
    #expect(try probe.finish() == .exited(0))
  }

  // S-10
  @Test func `past the limit for files values live in memory, and no signal ends the process`()
    throws
  {
    let place = try Place()
    let probe = try place.serve()
    try probe.ask("set before 1")
    #expect(try probe.ask("limit-file-size 70000") == "ok")
    for index in 0..<40 { #expect(try probe.ask("set-text text\(index) 4000") == "ok") }
    #expect(try [probe.ask("sync"), probe.ask("get before")] == ["false", "1"])
    #expect(try probe.ask("issues").contains("File too large"))
    #expect(try probe.ask("limit-file-size none") == "ok")
    try expectStored("text39", by: probe, in: place)
    #expect(try probe.finish() == .exited(0))
  }

  // O-5, O-6, S-24
  @Test func `who listens is told of what happened while no file could be opened`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["A": 1]))
    let probe = try place.serve()
    #expect(try [probe.ask("get A"), probe.ask("watch A")] == ["1", "ok"])
    #expect(try probe.ask("limit-files 3") == "ok")
    try place.exchange(place.plist, try foreignList(["A": 2]))
    #expect(try holds(within: 600) { try probe.ask("issues").contains("Too many open files") })
    #expect(try probe.ask("limit-files none") == "ok")
    #expect(try probe.ask("told 2") == "2")
    #expect(try probe.ask("issues") == "")
    #expect(try probe.finish() == .exited(0))
  }

  // S-10
  @Test func `without memory for the journal values live in memory`() throws {
    let place = try Place()
    let probe = try place.serve()
    #expect(try probe.ask("limit-memory 200000000") == "ok")
    try probe.ask("set A 1")
    #expect(try [probe.ask("get A"), probe.ask("sync")] == ["1", "false"])
    #expect(try probe.ask("issues").contains("Cannot allocate memory"))
    #expect(try probe.ask("limit-memory none") == "ok")
    try expectStored("A", by: probe, in: place)
  }

  // S-10
  @Test(.enabled(if: ScarcityProcessTests.isRoot, "it needs another user"))
  func `in a directory of another user values live in memory until it may be written`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["A": 1]))
    chmod(place.plist, 0o644)
    chmod(place.directory, 0o755)
    let probe = try place.serve()
    #expect(try probe.ask("become 65534") == "ok")
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set B 2")
    #expect(
      try [probe.ask("get B"), probe.ask("sync"), probe.ask("flush")] == ["2", "false", "false"])
    #expect(try probe.ask("issues") != "")
    // A reader still sees what the owner writes there.
    try place.exchange(place.plist, try foreignList(["A": 3]))
    chmod(place.plist, 0o644)
    #expect(!(try probe.ask("await A 3")).hasPrefix("never"))
    chown(place.directory, 65534, 65534)
    chown(place.plist, 65534, 65534)
    try expectStored("B", by: probe, in: place)
    #expect(try place.plistValues()?["A"] == .integer(3))
  }

  // S-10
  @Test func `on a read-only disk values live in memory until it is written again`() throws {
    guard let mount = try Mount(options: "size=4m,mode=700") else { return }
    let place = try Place(in: mount.directory)
    try place.exchange(place.plist, try foreignList(["A": 1]))
    #expect(try mount.change("ro"))
    let probe = try place.serve()
    #expect(try probe.ask("get A") == "1")
    try probe.ask("set B 2")
    #expect(try [probe.ask("get B"), probe.ask("sync")] == ["2", "false"])
    #expect(try probe.ask("issues") != "")
    #expect(try mount.change("rw"))
    try expectStored("B", by: probe, in: place)
    #expect(try place.plistValues() == ["A": .integer(1), "B": .integer(2)])
  }

  /// Without a call that could bring it about: the thread that flushes must.
  private func expectStored(_ key: String, by probe: Probe, in place: Place) throws {
    let start = monotonicSeconds()
    #expect(try holds(within: 600) { try place.plistValues()?[key] != nil }, "\(key) is not stored")
    print("scarcity: \(key) stored \(Int((monotonicSeconds() - start) * 1000)) ms after its end")
  }
}

/// A small disk in memory.
private final class Mount {
  let directory: String

  /// - Returns: nil, having said why, where none can be had.
  init?(options: String) throws {
    var template = Array("/tmp/strata-disk-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard try run("mount", "-t", "tmpfs", "-o", options, "none", directory) != nil else {
      print("not tested: no small disk can be mounted; it needs to be root")
      rmdir(directory)
      return nil
    }
  }

  deinit {
    do { _ = try run("umount", "-l", directory) } catch {}
    rmdir(directory)
  }

  func change(_ option: String) throws -> Bool {
    try run("mount", "-o", "remount,\(option)", directory) != nil
  }
}
