import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand

/// Backups and restorations that are killed at random moments.
@Suite(.waiting) struct KilledProcessSlowTests {
  private let fixture: CommandFixture
  private let count = 12

  init() throws { fixture = try CommandFixture() }

  /// Gives all domains the same value.
  private func fill(_ value: String) {
    for number in 0..<count {
      let filler = String(repeating: value, count: 2_000)
      fixture.succeed("write", "domain\(number)", "{value = \(value); filler = \(filler);}")
    }
  }

  /// The values of all domains as a fresh process sees them, each once.
  private func seen() throws -> Set<String> {
    var values: Set<String> = []
    for number in 0..<count {
      values.insert(try CommandProcess.run(fixture, "read", "domain\(number)", "value").output)
    }
    return values
  }

  /// How long a whole run takes, in microseconds.
  private func duration(_ arguments: [String]) throws -> Int {
    let start = Date()
    #expect(try CommandProcess(in: fixture, arguments).result().code == 0)
    return Int(Date().timeIntervalSince(start) * 1e6)
  }

  private func kill(_ arguments: [String], after microseconds: Int) throws {
    let process = try CommandProcess(in: fixture, arguments)
    usleep(UInt32(microseconds))
    process.send(SIGKILL)
    process.process.waitUntilExit()
  }

  // C-23, C-27
  @Test func `restore killed at any moment leaves the old state or the new one`() throws {
    let archive = fixture.directory + "/archive"
    fill("new")
    fixture.succeed("backup", archive)
    var whole = try duration(["restore", archive])
    var random = SeededGenerator(seed: 5)
    var (olds, news, run) = (0, 0, 0)
    while run < 40 || (olds == 0 || news == 0) && run < 400 {
      run += 1
      // It was measured while the machine was busier, or less.
      if run.isMultiple(of: 20), olds == 0 { whole /= 2 }
      if run.isMultiple(of: 20), news == 0 { whole *= 2 }
      fill("old")
      let moment = Int.random(in: 0...whole, using: &random)
      try kill(["restore", archive], after: moment)
      let seen = try seen()
      #expect(seen.count == 1, "run \(run), killed after \(moment) of \(whole) µs: \(seen)")
      if seen == ["old\n"] { olds += 1 } else { news += 1 }
    }
    #expect(fixture.run("check").code == .success)
    #expect(olds > 0 && news > 0, "\(olds) old, \(news) new: the kills come at the wrong moments")
  }

  // C-23, C-27
  @Test func `backup killed at any moment leaves the old archive or the new one`() throws {
    let archive = fixture.directory + "/archive"
    fill("old")
    fixture.succeed("backup", archive)
    let old = try Data(contentsOf: URL(fileURLWithPath: archive))
    fill("new")
    let other = fixture.directory + "/other"
    fixture.succeed("backup", other)
    let new = try Data(contentsOf: URL(fileURLWithPath: other))
    let whole = try duration(["backup", other])
    var random = SeededGenerator(seed: 6)
    for run in 0..<40 {
      try old.write(to: URL(fileURLWithPath: archive))
      let moment = Int.random(in: 0...whole, using: &random)
      try kill(["backup", archive], after: moment)
      let left = try Data(contentsOf: URL(fileURLWithPath: archive))
      #expect(left == old || left == new, "run \(run), killed after \(moment) of \(whole) µs")
    }
  }
}
