import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand
@testable import StrataStorage

/// A home that its user can't look into.
@Suite(.enabled(if: geteuid() == 0, "only root can become another user"), .waiting)
struct UnreadableProcessTests {
  private static let nobody = 65534
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "t", "k", "v")
  }

  /// Runs the command as a user who has the fixture's home.
  private func run(_ arguments: [String]) throws -> CommandProcess.Result {
    try start(arguments, #"timeout 600 "$0" "$@""#).result()
  }

  private func start(_ arguments: [String], _ line: String) throws -> CommandProcess {
    let user = "exec setpriv --reuid \(Self.nobody) --regid \(Self.nobody) --clear-groups "
    return try CommandProcess(in: fixture, arguments, shell: user + line)
  }

  private func giveAway(_ path: String, mode: mode_t) {
    let names = FileManager.default.subpaths(atPath: fixture.directory) ?? []
    for name in [""] + names.map({ "/" + $0 }) {
      chown(fixture.directory + name, uid_t(Self.nobody), gid_t(Self.nobody))
    }
    chmod(fixture.directory + path, mode)
  }

  // C-4, S-10
  @Test(arguments: [
    "/.config", "/.config/defaults", "/.config/defaults/.strata", "/.config/defaults/ByHost",
  ])
  func `what can't be looked into is told and is no empty list`(path: String) throws {
    fixture.succeed("-currentHost", "write", "t", "k", "v")
    giveAway(path, mode: 0)
    let isOfHost = path.hasSuffix("ByHost")
    var lines = [["check"], ["backup", "-"]]
    if isOfHost {
      lines.append(["-currentHost", "domains"])
    } else {
      lines += [["domains"], ["read"], ["find", "k"], ["watch"]]
    }
    for arguments in lines {
      let result = try run(arguments)
      #expect(result.code == 1, "\(arguments): \(result)")
      #expect(result.output == "", "\(arguments): \(result)")
      #expect(
        result.errors.contains("could not list \(fixture.directory)\(path)"),
        "\(arguments): \(result)")
      #expect(!result.errors.contains("restoration"), "\(arguments): \(result)")
    }
    chmod(fixture.directory + path, 0o700)
    #expect(try run(["domains"]).output == "t\n")
  }

  // C-28, C-31
  @Test func `watch goes on without the domains for this host if they can't be listed`() throws {
    fixture.succeed("-currentHost", "write", "t", "k", "v")
    giveAway("/.config/defaults/ByHost", mode: 0)
    let process = try start(["watch"], #""$0" "$@""#)
    for turn in 0..<1_000 where process.process.isRunning {
      #expect(try run(["write", "t", "k", "turn\(turn)"]).code == 0)
      if process.line(within: 0.1) != nil { break }
    }
    process.send(SIGTERM)
    let result = try process.result()
    #expect(result.code == 0)
    #expect(result.errors.contains("could not list \(fixture.userDirectory)/ByHost"), "\(result)")
  }

  // C-30
  @Test func `only root uses another user's domains`() throws {
    giveAway("", mode: 0o755)
    let other = try run(["read", "t", "--user", "root"])
    #expect(other.errors == "only root may use the domains of another user, root\n")
    #expect(other.code == 1)
    #expect(try run(["read", "t", "k", "--user", "nobody"]) == .init(output: "v\n", code: 0))
    let unknown = try run(["read", "t", "--user", "no such user"])
    #expect(unknown == .init(errors: "unknown user no such user\n", code: 1))
  }

  // C-11
  @Test func `where nothing was stored there is an empty list`() throws {
    fixture.succeed("delete", "t")
    try FileManager.default.removeItem(atPath: fixture.directory + "/.config")
    giveAway("", mode: 0o755)
    #expect(try run(["domains"]) == .init(output: "\n", code: 0))
  }

  // C-31
  @Test func `a domain that may not be read hides no other one, and is in no short backup`() throws
  {
    fixture.succeed("write", "other", "k", "secret")
    giveAway("/.config/defaults/other.plist", mode: 0)
    for (arguments, output) in [
      (["domains"], "t\n"), (["domains", "--json"], "[\n  \"t\"\n]\n"),
      (["find", "K"], "Found 1 keys in domain 't': {\n    k = v;\n}\n"),
      (["read"], "{\n    t =     {\n        k = v;\n    };\n}\n"),
    ] {
      let result = try run(arguments)
      #expect(result.code == 1 && result.output == output, "\(arguments): \(result)")
      #expect(
        result.errors.contains("Domain other could not be read: "), "\(arguments): \(result)")
    }
    let archive = fixture.directory + "/archive"
    let result = try run(["backup", archive])
    #expect(result.code == 1 && result.errors.contains("the domain other could not be read"))
    #expect(!FileManager.default.fileExists(atPath: archive))
  }

  // -- With changes that are in the journal only

  /// Sets a value as a program does that dies then.
  private func leavePending(_ key: String, in name: String) throws -> StorePaths {
    let store = otherStore(of: name)
    try store.set(.string("pending"), forKey: key)
    return store.paths
  }

  /// Sets a value as a program does that ends as it should.
  private func store(_ key: String, in name: String) throws {
    let store = otherStore(of: name)
    try store.set(.string("v"), forKey: key)
    try #require(store.flush())
  }

  /// The store of a process that has ended by the time of the next call. This one would write what
  /// others leave of the domains that it has opened.
  private func otherStore(of name: String) -> Store {
    StorageProcess(on: SystemFileSystem(), isAutomatic: false)
      .store(at: StorePaths(identifier: name, in: fixture.userDirectory))
  }

  private func expectUnreadable(
    _ name: String, _ arguments: [String], output: String = "",
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let result = try run(arguments)
    #expect(
      result.code == 1 && result.output == output, "\(arguments): \(result)",
      sourceLocation: place)
    #expect(
      result.errors.contains("omain \(name) could not be read: "), "\(arguments): \(result)",
      sourceLocation: place)
  }

  // C-4, C-31, S-10
  @Test func `a domain is not missing that is only in a journal that may not be opened`() throws {
    let paths = try leavePending("k", in: "new")
    giveAway("/.config/defaults/.strata/new.plist.journal", mode: 0)
    try #require(!FileManager.default.fileExists(atPath: paths.plist))
    try expectUnreadable("new", ["domains"], output: "t\n")
    let archive = fixture.directory + "/archive"
    for arguments in [
      ["read", "new"], ["read", "new", "k"], ["export", "new", archive], ["backup", archive],
      ["list", "new"],
    ] {
      try expectUnreadable("new", arguments)
    }
    #expect(!FileManager.default.fileExists(atPath: archive))
    chmod(paths.journal, 0o600)
    #expect(try run(["read", "new", "k"]) == .init(output: "pending\n", code: 0))
  }

  // C-5, C-23, C-31
  @Test func `what is read of a list and a journal is not taken for a whole if one is unread`()
    throws
  {
    try store("k", in: "other")
    let paths = try leavePending("k2", in: "other")
    let file = fixture.directory + "/file"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("old".utf8)))
    for part in [paths.plist, paths.journal] {
      giveAway(String(part.dropFirst(fixture.directory.utf8.count)), mode: 0)
      for arguments in [
        ["read", "other"], ["read", "other", "k"], ["export", "other", file], ["backup", file],
        ["diff", "t", "other"], ["rename", "other", "k", "k3"], ["delete", "other", "k"],
        ["write", "other", "k", "-array-add", "x"],
      ] {
        try expectUnreadable("other", arguments)
      }
      #expect(FileManager.default.contents(atPath: file) == Data("old".utf8))
      let pending = try run(["read", "other", "k2"])
      if part == paths.plist {
        #expect(pending.code == 0 && pending.output == "pending\n", "it is known: \(pending)")
      } else {
        #expect(pending.code == 1, "\(pending)")
      }
      chmod(part, 0o600)
    }
    #expect(try run(["read", "other", "k"]) == .init(output: "v\n", code: 0))
    #expect(try run(["read", "other", "k2"]) == .init(output: "pending\n", code: 0))
  }

  // C-31, S-15
  @Test func `a journal of a newer version is in no backup without its values`() throws {
    try store("k", in: "other")
    let paths = try leavePending("k", in: "other")
    fixture.isLeftBroken = true
    var bytes = Array(try #require(FileManager.default.contents(atPath: paths.journal)))
    bytes[8] += 1
    try Data(JournalBytes.resigned(bytes)).write(to: URL(fileURLWithPath: paths.journal))
    giveAway("", mode: 0o755)
    let archive = fixture.directory + "/archive"
    for arguments in [["read", "other", "k"], ["export", "other", archive], ["backup", archive]] {
      try expectUnreadable("other", arguments)
    }
    #expect(!FileManager.default.fileExists(atPath: archive))
  }
}
