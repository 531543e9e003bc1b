import Foundation
import StrataPropertyList
import StrataTesting
import Testing

/// What is done with the file that Foundation left of a domain.
@Suite(.waiting) struct TakeoverProcessTests {
  private let fixture: DefaultsFixture
  private let former: String

  init() throws {
    fixture = try DefaultsFixture()
    former = fixture.directory + "/.config/com.example.app.plist"
    try ListFile.write(["old": "1", "both": "old"], to: former)
  }

  // D-28
  @Test func `values from Foundation's file are taken over and the file is left`() throws {
    let before = try FileManager.default.attributesOfItem(atPath: former)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: former))
    #expect(
      try DomainsProcess.answers(in: fixture, "get old", "set both new", "get both", "sync")
        == ["1", "ok", "new", "true"])
    #expect(
      try ListFile.values(of: fixture.plist) == ["old": .string("1"), "both": .string("new")])
    #expect(try Data(contentsOf: URL(fileURLWithPath: former)) == bytes)
    let after = try FileManager.default.attributesOfItem(atPath: former)
    #expect(after[.modificationDate] as? Date == before[.modificationDate] as? Date)
    #expect(after[.systemFileNumber] as? Int == before[.systemFileNumber] as? Int)
  }

  // D-28
  @Test func `what is taken over once does not come back`() throws {
    #expect(
      try DomainsProcess.answers(in: fixture, "remove old", "get old", "get both")
        == ["ok", "nil", "old"])
    try ListFile.write(["old": "2", "both": "2", "more": "2"], to: former)
    #expect(
      try DomainsProcess.answers(
        in: fixture, "get old", "get both", "get more", "remove-persistent com.example.app")
        == ["nil", "old", "nil", "ok"])
    #expect(try DomainsProcess.answers(in: fixture, "get both", "get more") == ["nil", "nil"])
  }

  // D-28
  @Test func `a domain that has a file takes nothing over`() throws {
    try ListFile.write(["own": "1"], to: fixture.plist)
    #expect(
      try DomainsProcess.answers(in: fixture, "get own", "get old", "set own 2", "get old")
        == ["1", "nil", "ok", "nil"])
  }

  // D-28
  @Test func `suites and the global domain are taken over as well`() throws {
    let config = fixture.directory + "/.config/"
    try ListFile.write(["suite": "1"], to: config + "suite.plist")
    try ListFile.write(["global": "1"], to: config + ".GlobalPreferences.plist")
    #expect(
      try DomainsProcess.answers(in: fixture, "suite suite suite", "get global", "get suite")
        == ["1", "1", "nil"])
  }

  // D-28
  @Test func `Foundation's file is beside the directory that XDG names`() throws {
    let directory = fixture.directory + "/elsewhere"
    try ListFile.write(["there": "1"], to: directory + "/com.example.app.plist")
    #expect(
      try DomainsProcess.answers(
        in: fixture, "get there", "get old", environment: ["XDG_CONFIG_HOME": directory])
        == ["1", "nil"])
  }

  // D-28
  @Test func `a former file that is none leaves an empty domain`() throws {
    try ListFile.write("{ broken", to: former)
    #expect(
      try DomainsProcess.answers(in: fixture, "get old", "set key x", "get key", "sync")
        == ["nil", "ok", "x", "true"])
  }

  // D-28
  @Test func `processes that start at once take over once and lose no set`() throws {
    for round in 0..<5 {
      let fixture = try DefaultsFixture()
      try ListFile.write(
        ["old": "1", "removed": "1"], to: fixture.directory + "/.config/com.example.app.plist")
      let processes = try (0..<4).map { number in
        try DomainsProcess(
          in: fixture,
          ["set own\(number) \(number)", "remove removed", "get removed", "get old"])
      }
      for process in processes {
        #expect(try process.result().answers == ["ok", "ok", "nil", "1"], "round \(round)")
      }
      let values = try ListFile.values(of: fixture.plist)
      #expect(values.keys.sorted() == ["old", "own0", "own1", "own2", "own3"], "round \(round)")
    }
  }
}
