import Foundation
import StrataTesting
import Testing

/// What processes with the rights of different users do in each other's places.
@Suite(.enabled(if: geteuid() == 0, "only root can become another user"), .waiting)
struct RightsProcessTests {
  private static let nobody = 65534
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  // D-9
  @Test func `only root and a user have that user's list`() throws {
    let lines = ["user root key", "user nobody key", "user no-such-user key"]
    try ListFile.write(["key": "found"], to: fixture.plist)
    let root = try DomainsProcess(in: fixture, lines).result()
    #expect(root.answers == ["found", "nil", "none"])
    let other = try DomainsProcess(in: fixture, ["become \(Self.nobody)"] + lines).result()
    #expect(other.answers == ["ok", "none", "found", "none"])
  }

  // D-9
  @Test func `a user goes on with what root set and root with what that user sets`() throws {
    let home = fixture.directory + "/home"
    mkdir(home, 0o755)
    chown(home, uid_t(Self.nobody), gid_t(Self.nobody))
    let environment = ["HOME": home]
    let set = ["set key root", "sync"]
    #expect(
      try DomainsProcess(in: fixture, set, environment: environment).result().answers
        == ["ok", "true"])
    let user = ["become \(Self.nobody)", "get key", "set key user", "sync", "issues"]
    #expect(
      try DomainsProcess(in: fixture, user, environment: environment).result().answers
        == ["ok", "root", "ok", "true", "none"])
    #expect(
      try DomainsProcess(in: fixture, ["get key"], environment: environment).result().answers
        == ["user"])
  }

  // D-11, D-27
  @Test func `a planted file is ignored and the log says how to mend it`() throws {
    let path = fixture.directory + "/system/managed/com.example.app.plist"
    try ListFile.write(["key": "planted"], to: path)
    let lines = ["set key own", "get key"]
    let before = try DomainsProcess(in: fixture, lines).result()
    #expect(before.answers == ["ok", "planted"])
    #expect(before.log == [])
    chown(path, uid_t(Self.nobody), gid_t(Self.nobody))
    let after = try DomainsProcess(in: fixture, lines).result()
    #expect(after.answers == ["ok", "own"])
    #expect(after.log.count == 1)
    #expect(after.log.first?.contains("\(path) is ignored") == true)
    #expect(after.log.first?.contains("run chown root \(path)") == true)
  }

  // D-30
  @Test func `values of all users are not for everyone to change`() throws {
    let path = fixture.directory + "/system/com.example.app.plist"
    try ListFile.write(["key": "old"], to: path)
    let lines = ["become \(Self.nobody)", "everyone key new", "get key", "issues"]
    let result = try DomainsProcess(in: fixture, lines).result()
    #expect(result.answers.count == 4)
    #expect(result.answers.first == "ok")
    #expect(result.answers.dropFirst().first?.hasPrefix("\(path): it was not changed: ") == true)
    #expect(result.answers.dropFirst().first?.hasSuffix(" old") == true)
    #expect(result.answers.suffix(2) == ["old", "none"])
    #expect(
      try DomainsProcess.answers(in: fixture, "everyone key new", "get key") == ["ok", "new"])
  }

  // D-7, D-8, D-26, D-29
  @Test func `a set-uid process takes no path and does not believe the environment`() throws {
    let program = fixture.directory + "/Elevated"
    try ProgramFile.copy(DomainsProcess.program, to: program)
    chown(program, uid_t(Self.nobody), gid_t(Self.nobody))
    chmod(program, 0o4755)
    try ListFile.write(["key": "planted"], to: fixture.directory + "/system/Elevated.plist")
    try ListFile.write(["key": "planted"], to: fixture.userDirectory + "/Elevated.plist")
    let result = try DomainsProcess(
      in: fixture, ["suite \(fixture.directory)/list", "identifier", "get key", "suite other"],
      program: program
    ).result()
    #expect(result.answers == ["nil", "Elevated", "nil", "ok"])
    #expect(result.log.first?.contains("takes no path") == true)
  }
}
