import Glibc
import StrataTesting
import Testing

@testable import StrataStorage

/// The file systems of which machines have their disks. `STRATA_POWER_CUTS` says how often the
/// power of each is cut, and `STRATA_KILLS` how often its two writers are killed.
@Suite(.serialized, .waiting) struct FileSystemProcessSlowTests {
  private static let cuts = repetitions("STRATA_POWER_CUTS", else: 5)
  private static let kills = repetitions("STRATA_KILLS", else: 5)

  /// `STRATA_FILE_SYSTEM` has one kind only tried.
  private static let kinds = RealFileSystem.Kind.allCases.filter { kind in
    getenv("STRATA_FILE_SYSTEM").map { String(cString: $0) == kind.rawValue } ?? true
  }

  // S-4, S-5, S-17
  @Test(arguments: Self.kinds.filter(\.lasts))
  func `a power cut on a real file system leaves a prefix with all that was synchronized`(
    kind: RealFileSystem.Kind
  ) throws {
    try endure(kind, rounds: Self.cuts, cutting: true)
  }

  // S-3, S-19
  @Test(arguments: Self.kinds)
  func `kill -9 loses nothing on any file system`(kind: RealFileSystem.Kind) throws {
    try endure(kind, rounds: Self.kills, cutting: false)
  }

  // S-10, S-21
  @Test(arguments: Self.kinds)
  func `a full file system loses nothing that was synchronized`(
    kind: RealFileSystem.Kind
  ) throws {
    let disk = try make(kind)
    let plist = disk.directory + "/com.example.full.plist"
    var probe = try Probe.serving(plist)
    try probe.ask("set number 0")
    #expect(try probe.ask("sync") == "true")
    try disk.fill()
    var lasting = 0
    for number in 1...60 {
      try probe.ask("set number \(number)")
      try probe.ask("set-text text\(number % 7) \(number * 400)")
      if number % 3 == 0, try probe.ask("sync") == "true" { lasting = number }
      if number % 7 == 0 { try probe.ask("flush") }
      if number % 10 == 0 {
        probe.kill(SIGKILL)
        _ = try probe.wait()
        probe = try Probe.serving(plist)
        let found = Int(try probe.ask("get number")) ?? -1
        try #require(found >= lasting, "of \(lasting) there is \(found)")
      }
    }
    try disk.free()
    try probe.ask("set number 61")
    #expect(try probe.ask("sync") == "true")
    #expect(try probe.ask("flush") == "true")
    #expect(try probe.ask("issues") == "")
    #expect(try probe.ask("check") == "")
    #expect(try Probe.serving(plist).ask("get number") == "61")
    #expect(try probe.finish() == .exited(0))
  }

  private func endure(_ kind: RealFileSystem.Kind, rounds: Int, cutting: Bool) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let ledger = try CommitLedger(on: try make(kind))
    let start = monotonicSeconds()
    for round in 0..<rounds {
      let flushes = [1_000_000, 20, 300].randomElement(using: &random) ?? 20
      let milliseconds = Int.random(in: 0...60, using: &random)
      let complaint = try ledger.run(
        milliseconds: milliseconds, flushingAfter: flushes, cutting: cutting)
      try #require(complaint == nil, "\(kind), seed \(seed), round \(round): \(complaint ?? "")")
    }
    let seconds = Int(monotonicSeconds() - start)
    print(
      "\(kind): \(rounds) \(cutting ? "power cuts" : "kills") in \(seconds) s, "
        + "\(ledger.found) commits; of those that had returned only, \(ledger.missing) are gone")
  }

  private func make(_ kind: RealFileSystem.Kind) throws -> RealFileSystem {
    do {
      return try RealFileSystem(kind)
    } catch let error as RealFileSystem.Unavailable {
      try Test.cancel("\(error.reason)")
    }
  }
}
