import Glibc
import StrataPropertyList
import StrataTesting
import Testing

@testable import StrataStorage

/// Journals that are cut off, overwritten or removed while two processes write.
@Suite(.waiting) struct DestroyedJournalProcessSlowTests {
  enum Blow: CaseIterable, Sendable {
    case truncatedToNothing, truncatedToHead, truncatedToPage, random, zeroed, deleted
    case hiddenDirectoryDeleted, directoryDeleted
  }

  // S-3, S-9, S-10, S-11
  @Test(arguments: Blow.allCases)
  func `a journal that is destroyed in use costs no set of a process that lives`(
    blow: Blow
  ) throws {
    for round in 0..<10 {
      let place = try Place()
      let probes = try [place.serve(), place.serve()]
      for probe in probes { try probe.ask("set mine 1") }
      for (index, probe) in probes.enumerated() { try probe.send("spin key\(index) 20000") }
      poll(nil, 0, Int32(1 + round % 4))
      try strike(place, blow)
      for probe in probes {
        let wrong = try probe.line()
        try #require(wrong == "0", "round \(round): \(wrong) reads missed the set before")
      }
      for (index, probe) in probes.enumerated() {
        try probe.ask("set after\(index) \(round)")
        #expect(try probe.ask("get after\(index)") == "\(round)")
      }
      #expect(try probes[1].ask("get after0") == "\(round)", "round \(round)")
      if blow != .directoryDeleted { #expect(try probes[0].ask("get mine") == "1") }
      let isStored = try holds(within: 600) {
        let values = try place.plistValues()
        return values?["after0"] == .integer(Int64(round))
          && values?["after1"] == .integer(Int64(round)) && values?["key0"] == .integer(19_999)
      }
      let found = try place.plistValues() ?? [:]
      try #require(isStored, "round \(round): not in the plist by itself, which has \(found)")
      for probe in probes { #expect(try probe.finish() == .exited(0)) }
      #expect(place.freshValues()["key1"] == .integer(19_999))
    }
  }

  private func strike(_ place: Place, _ blow: Blow) throws {
    let journal = place.paths.journal
    let size = try place.bytes(of: journal).count
    var random = SeededGenerator(seed: 4)
    switch blow {
    case .truncatedToNothing: truncate(journal, 0)
    case .truncatedToHead: truncate(journal, 100)
    case .truncatedToPage: truncate(journal, 4096)
    case .random:
      try stamp(journal, (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) })
    case .zeroed: try stamp(journal, [UInt8](repeating: 0, count: size))
    case .deleted: unlink(journal)
    case .hiddenDirectoryDeleted: _ = try run("rm", "-rf", place.paths.hidden)
    case .directoryDeleted: _ = try run("rm", "-rf", place.directory)
    }
  }

  /// Overwrites a file's bytes without cutting it off first.
  private func stamp(_ path: String, _ bytes: [UInt8]) throws {
    let disk = SystemFileSystem()
    let file = try disk.open(path, .readWrite)
    defer { disk.close(file) }
    try bytes.withUnsafeBytes { raw in
      Result { try disk.write(raw, to: file, at: 0) }
    }.get()
  }
}
