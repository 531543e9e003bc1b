import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Files that are damaged, or in each other's place, while or before they are used.
@Suite(.serialized, .waiting) struct DamageProcessTests {
  enum Damage: CaseIterable, Sendable {
    case unreadable, directory, malformed, empty, truncated, random
  }

  // S-9, S-11
  @Test(arguments: Damage.allCases)
  func `a plist that can't be used is kept, and writing goes on`(damage: Damage) throws {
    let place = try Place()
    let old = try place.serve()
    for index in 0..<50 { try old.ask("set key\(index) \(index)") }
    #expect(try old.ask("flush") == "true")
    #expect(try old.finish() == .exited(0))
    unlink(place.paths.journal)
    let bytes = try hurt(place, damage)
    if damage == .unreadable { #expect(try run("chown", "-R", "65534", place.directory) != nil) }

    let probe = try place.serve()
    if damage == .unreadable { #expect(try probe.ask("become 65534") == "ok") }
    try probe.ask("set new 1")
    #expect(try probe.ask("get new") == "1")
    #expect(try probe.ask("issues") != "")
    _ = try probe.ask("flush")
    #expect(try probe.finish() == .exited(0))
    #expect(place.freshValues()["new"] == .integer(1))
    let names = try place.names().filter { $0.hasPrefix("com.example.place.plist") }
    let kept = names.contains { name in
      damage == .directory
        ? place.exists("\(place.directory)/\(name)/inside")
        : bytes == (try? place.bytes(of: "\(place.directory)/\(name)"))
    }
    #expect(kept, "none of \(names) holds what was there before")
    if damage != .unreadable { #expect(try place.plistValues()?["new"] == .integer(1)) }
  }

  private func hurt(_ place: Place, _ damage: Damage) throws -> [UInt8] {
    let old = try place.bytes(of: place.plist)
    var random = SeededGenerator(seed: 9)
    switch damage {
    case .unreadable: chmod(place.plist, 0)
    case .directory:
      unlink(place.plist)
      mkdir(place.plist, 0o700)
      try place.overwrite(place.plist + "/inside", [1])
    case .malformed: try place.overwrite(place.plist, Array("this is no property list".utf8))
    case .empty: try place.overwrite(place.plist, [])
    case .truncated: try place.overwrite(place.plist, Array(old.prefix(old.count / 2)))
    case .random:
      try place.overwrite(
        place.plist, (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    return damage == .directory ? [] : try place.bytes(of: place.plist)
  }

  // S-9, S-9a
  @Test func `sets on top of an unreadable plist survive its being readable again`() throws {
    let place = try Place()
    try place.exchange(place.plist, try foreignList(["old": 1]))
    chmod(place.plist, 0)
    #expect(try run("chown", "-R", "65534", place.directory) != nil)
    let probe = try place.serve()
    #expect(try probe.ask("become 65534") == "ok")
    try probe.ask("set new 1")
    probe.kill(SIGKILL)
    try probe.wait()
    chmod(place.plist, 0o600)
    #expect(place.freshValues() == ["old": .integer(1), "new": .integer(1)])
  }

  // S-9
  @Test func `what a journal with a damaged head still held is stored by whoever reads it`() throws
  {
    let place = try Place()
    let writer = try place.serve()
    for index in 0..<100 { try writer.ask("set key\(index) \(index)") }
    writer.kill(SIGKILL)
    try writer.wait()
    var bytes = try place.bytes(of: place.paths.journal)
    bytes[20] ^= 1
    try place.overwrite(place.paths.journal, bytes)
    let reader = try place.serve()
    #expect(try reader.ask("get key42") == "42")
    #expect(try reader.ask("issues").contains("header is corrupt"))
    #expect(place.freshValues().count == 100)
    reader.kill(SIGKILL)
    try reader.wait()
    #expect(place.freshValues().count == 100)
    let kept = try place.names(in: place.paths.hidden).filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
    #expect(try place.bytes(of: place.paths.hidden + "/" + (kept.first ?? "")) == bytes)
  }
}
