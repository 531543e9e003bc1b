import Foundation
import StrataTesting
import Testing

/// Processes that have no home, or none that they can use.
@Suite(.enabled(if: geteuid() == 0, "only root can become another user"), .waiting)
struct HomelessProcessTests {
  private static let nobody = 65534
  /// A user of whom the password database does not know.
  private static let stranger = 54321
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  // D-29
  @Test func `without HOME the password database is asked`() throws {
    let home = try #require(NSHomeDirectoryForUser("nobody"))
    let result = try DomainsProcess(
      in: fixture, ["become \(Self.nobody)", "get key", "set key x", "get key", "issues"],
      environment: ["HOME": nil]
    ).result()
    #expect(result.answers.prefix(4) == ["ok", "nil", "ok", "x"])
    #expect(result.answers.last?.contains(home + "/.config/defaults/") == true)
    #expect(result.status == 0)
  }

  // D-3, D-29
  @Test(arguments: [nil, "", "relative", "./x"])
  func `without any home values live in memory and the log has one line`(home: String?) throws {
    let result = try DomainsProcess(
      in: fixture,
      [
        "become \(Self.stranger)", "get key", "set key x", "get key", "sync",
        "set-in-suite suite other y", "get other", "add suite", "get other",
        "set-persistent NSGlobalDomain global z", "get global", "persistent com.example.app",
        "remove key", "get key", "sync",
      ], environment: ["HOME": home]
    ).result()
    #expect(
      result.answers == [
        "ok", "nil", "ok", "x", "false", "ok", "nil", "ok", "y", "ok", "z", "{key=x}", "ok", "nil",
        "false",
      ])
    #expect(result.log.count == 1)
    #expect(result.log.first?.contains("there is no home directory") == true)
    #expect(result.status == 0)
  }

  // D-29
  @Test func `in a home that can't be written values live in memory and it is told`() throws {
    let result = try DomainsProcess(
      in: fixture,
      ["become \(Self.nobody)", "get key", "set key x", "get key", "sync", "get key", "issues"]
    ).result()
    #expect(result.answers.prefix(6) == ["ok", "nil", "ok", "x", "false", "x"])
    #expect(result.answers.last?.contains("notStored") == true)
    #expect(result.log.count == 1)
    #expect(result.log.first?.contains(fixture.plist) == true)
    #expect(result.status == 0)
    #expect(!FileManager.default.fileExists(atPath: fixture.userDirectory))
  }

  // D-29
  @Test func `in a home that can't be written what is stored there is read`() throws {
    try ListFile.write(["key": "stored"], to: fixture.plist)
    let result = try DomainsProcess(
      in: fixture, ["become \(Self.nobody)", "get key", "set key x", "get key", "sync"]
    ).result()
    #expect(result.answers == ["ok", "stored", "ok", "x", "false"])
    #expect(try DomainsProcess.answers(in: fixture, "get key") == ["stored"])
  }

  // D-28, D-29
  @Test func `in a home that can't be written Foundation's values are read`() throws {
    try ListFile.write(
      ["old": "1"], to: fixture.directory + "/.config/com.example.app.plist")
    let answers = try DomainsProcess.answers(in: fixture, "become \(Self.nobody)", "get old")
    #expect(answers == ["ok", "1"])
  }

  // V-17, V-19, D-29
  @Test func `the home in a URL is HOME, in which the files are, too`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "set-url key \(fixture.directory)/x", "get key", "url key",
      environment: ["HOME": "/" + fixture.directory + "//"])
    #expect(answers == ["ok", "~/x", "\(fixture.directory)/x"])
  }

  // V-17, V-19, D-29
  @Test func `without HOME the home in a URL is that of the files`() throws {
    let home = try #require(NSHomeDirectoryForUser("nobody"))
    let answers = try DomainsProcess.answers(
      in: fixture, "become \(Self.nobody)", "set-url key \(home)/x", "get key", "url key",
      environment: ["HOME": nil])
    #expect(answers == ["ok", "ok", "~/x", "\(home)/x"])
  }

  // V-17, V-19, D-29
  @Test(arguments: ["", "relative"])
  func `with a HOME that is none a URL is stored whole`(home: String) throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "set-url key /relative/x", "get key", "url key", environment: ["HOME": home])
    #expect(answers == ["ok", "/relative/x", "/relative/x"])
  }
}
