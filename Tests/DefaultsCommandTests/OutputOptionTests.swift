import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// The options that all verbs have, and output for programs.
struct OutputOptionTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "a", "{k = v; list = (1);}")
    fixture.succeed("write", "b", "k", "w")
  }

  // C-30
  @Test(arguments: [
    ["read"], ["read", "a"], ["read", "a", "k"], ["read-type", "a", "k"], ["domains"],
    ["find", "v"], ["explain", "a", "k"], ["list", "a"], ["diff", "a", "b"], ["check"],
    ["check", "a"], ["export", "a", "-"], ["printHostIdentifier"],
  ])
  func `whatever prints about domains prints JSON`(_ words: [String]) throws {
    let console = fixture.console()
    let outcome = fixture.run(words + ["--json"], console)
    #expect(outcome.errors.isEmpty, "\(outcome)")
    // A JSON fragment, as of `read a k`, is not one that Foundation takes unless told.
    let data = Data(console.bytes(of: .output))
    _ = try JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed])
  }

  // C-30
  @Test func `what JSON says is what the text says`() {
    #expect(fixture.succeed("read-type", "a", "list", "--json") == "{\n  \"type\": \"array\"\n}\n")
    #expect(
      fixture.succeed("find", "W", "--json") == "{\n  \"b\": {\n    \"k\": \"w\"\n  }\n}\n")
    let none = fixture.run("find", "nothing", "--json")
    #expect(none.output == "{}\n" && none.code == .failure)
    #expect(
      fixture.succeed("check", "--json")
        == "{\n  \"domains\": 2,\n  \"findings\": [],\n  \"values\": 3\n}\n")
  }

  // C-30
  @Test func `findings of check are objects`() throws {
    fixture.isLeftBroken = true
    let path = fixture.userDirectory + "/a.plist"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let outcome = fixture.run("check", "a", "--json")
    #expect(outcome.code == .failure)
    #expect(outcome.output.contains("\"severity\": \"broken\""), "\(outcome)")
    #expect(fixture.run("check", "a", "--quiet").output.contains("broken"))
  }

  // C-30
  @Test func `quiet leaves out warnings, hints and progress, but no error`() throws {
    fixture.succeed("write", "a", "when", "-date", "2020-01-01")
    #expect(fixture.run("read", "a", "--json").errors.hasPrefix("warning: "))
    #expect(fixture.run("read", "a", "--json", "--quiet").errors == "")
    #expect(fixture.run("--quiet", "read", "a", "--json").errors == "")
    #expect(fixture.run("check", "--quiet") == .init())
    #expect(fixture.run("diff", "a", "b", "--quiet") == .init(code: .failure))
    let console = fixture.console()
    console.terminals = [.error]
    let backup = ["backup", fixture.directory + "/archive", "--quiet"]
    #expect(fixture.run(backup, console) == .init())
    #expect(fixture.run("read", "none", "--quiet").errors == "Domain none does not exist\n")
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    #expect(fixture.run("domains", "--quiet").errors.hasPrefix("Domain broken could not be read"))
  }

  // C-30
  @Test func `who writes to an administrator's file is not told that the value is forced`() throws {
    try fixture.write(["k": .integer(2)], toList: "system/managed/.GlobalPreferences.plist")
    for folder in ["system", "system/managed"] { chmod(fixture.directory + "/" + folder, 0o755) }
    for name in [".GlobalPreferences", "b"] {
      let path = fixture.directory + "/system/managed/" + name
      #expect(fixture.run("write", path, "k", "forced") == .init())
    }
    #expect(fixture.run("write", "c", "k", "new").errors.contains(".GlobalPreferences.plist"))
  }

  // C-30
  @Test func `a value that an administrator forces is written, with a warning`() throws {
    try fixture.write(["k": .integer(2)], toList: "system/managed/a.plist")
    for folder in ["system", "system/managed"] { chmod(fixture.directory + "/" + folder, 0o755) }
    let warning =
      "warning: the value of k takes no effect: it is forced by \(fixture.directory)"
      + "/system/managed/a.plist\n"
    #expect(fixture.run("write", "a", "k", "new") == .init(errors: warning))
    #expect(fixture.values("a")["k"] == .string("new"))
    #expect(fixture.run("-currentHost", "write", "a", "k", "new") == .init(errors: warning))
    #expect(fixture.run("write", "a", "--path", "k", "x", "--quiet").errors.contains("Unexpected"))
    #expect(fixture.run("write", "--quiet", "a", "k", "new") == .init())
    let input = fixture.console(input: Array("{a = {k = 3; free = 1;};}".utf8))
    #expect(fixture.run(["apply", "-"], input).errors == warning)
    #expect(fixture.run("write", "a", "other", "x") == .init())
    #expect(fixture.run("write", "b", "k", "x") == .init())
    #expect(fixture.run("delete", "a", "k") == .init())
    chmod(fixture.directory + "/system/managed/a.plist", 0o666)
    #expect(fixture.run("write", "a", "k", "new") == .init(), "a file that is not trusted")
  }

  // C-30
  @Test func `an unknown user, and another one's without the right, are errors`() throws {
    func run(_ words: [String], as user: UInt32) -> CommandFixture.Outcome {
      let console = fixture.console()
      let home = fixture.directory + "/ann"
      console.users["ann"] = UserRecord(id: 7777, group: 7777, name: "ann", home: home)
      var surroundings = fixture.surroundings
      surroundings.userID = user
      let code = Program.run(words, console, surroundings)
      return .init(output: console.text(of: .output), errors: console.text(of: .error), code: code)
    }
    let read = ["read", "a", "--user", "ann"]
    #expect(
      run(["read", "a", "--user", "nobody\n"], as: 0)
        == .init(errors: "unknown user \"nobody\\n\"\n", code: .failure))
    #expect(
      run(read, as: 7778)
        == .init(errors: "only root may use the domains of another user, ann\n", code: .failure))
    let homeless = run(read, as: 0)
    #expect(homeless.errors.hasPrefix("the home directory of user ann does not exist: "))
    #expect(homeless.code == .failure)
    #expect(run(["read", "a", "--user"], as: 0).code == .usage)
    #expect(run(["read", "a", "--user", "none", "--help"], as: 0).code == .success)
    #expect(run(["help", "--user", "ann"], as: 0).code == .usage)
    #expect(run(read, as: 7777).code == .success, "one's own")
  }

  // C-30, D-8
  @Test(.enabled(if: geteuid() == 0, "only root may write for other users"))
  func `root works on another user's domains, whose files are that user's`() throws {
    let home = fixture.directory + "/ann"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    #expect(chown(home, 7777, 7777) == 0)
    func run(_ words: String...) -> CommandFixture.Outcome {
      let console = fixture.console()
      console.users["ann"] = UserRecord(id: 7777, group: 7777, name: "ann", home: home)
      return fixture.run(words, console)
    }
    #expect(run("write", "--user", "ann", "t", "k", "v") == .init())
    #expect(run("--user", "ann", "-currentHost", "write", "t", "k", "h") == .init())
    #expect(run("read", "t", "k", "--user=ann") == .init(output: "v\n"))
    #expect(run("domains", "--user", "ann") == .init(output: "t\n"))
    #expect(fixture.run("read", "t").code == .failure, "root's own domains have no such one")
    let names = FileManager.default.subpaths(atPath: home) ?? []
    #expect(names.contains(".config/defaults/t.plist"))
    for name in names {
      var status = stat()
      #expect(lstat(home + "/" + name, &status) == 0 && status.st_uid == 7777, "\(name)")
    }
    #expect(run("delete-all", "t", "--user", "ann") == .init())
    #expect(run("-currentHost", "domains", "--user", "ann") == .init(output: "\n"))
  }

  // C-30, C-4
  @Test func `a warning that nobody can see fails nothing`() throws {
    fixture.succeed("write", "a", "when", "-date", "2020-01-01")
    let shown = fixture.run("read", "a", "--json").output
    for refusal in [
      Failure.closedPipe, Failure("cannot write standard error: Bad file descriptor"),
    ] {
      let console = fixture.console()
      console.room[.error] = (0, refusal)
      #expect(fixture.run(["read", "a", "--json"], console) == .init(output: shown))
    }
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    let console = fixture.console()
    console.room[.error] = (0, .closedPipe)
    #expect(fixture.run(["domains"], console) == .init(output: "a, b\n", code: .failure))
  }

  // C-29, C-30
  @Test(arguments: [[], ["--json"]])
  func `quiet leaves out what apply and diff show`(_ options: [String]) {
    let console = fixture.console(input: Array("{\"a\": {\"new\": 1}}".utf8))
    #expect(fixture.run(["apply", "-", "--quiet"] + options, console) == .init())
    #expect(fixture.values("a")["new"] == .integer(1))
    let diff = fixture.run(["diff", "a", "b", "--quiet"] + options, fixture.console())
    #expect(diff == .init(code: .failure))
  }
}
