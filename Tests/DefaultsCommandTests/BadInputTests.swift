import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// What is wrong is said, with the right exit code, and changes nothing.
struct BadInputTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "t", "{text = a; list = (1); map = {k = v;};}")
    try fixture.write(Array("no property list <".utf8), to: "broken")
    try fixture.write(Array("(1, 2)".utf8), to: "array")
    try fixture.write([], to: "empty")
    try fixture.write([0x93, 0x02, 0xFE, 0x11], to: "noise")
    try fixture.write(Array(" \n\t\r\n".utf8), to: "blank")
    try fixture.write([0xEF, 0xBB, 0xBF, 0x20, 0x0A], to: "mark")
  }

  struct Case: CustomStringConvertible, Sendable {
    let words: [String]
    let code: ExitCode
    let text: String
    var description: String { words.joined(separator: " ").prefix(80).description }

    init(_ words: String..., code: ExitCode = .failure, saying text: String) {
      self.words = words
      self.code = code
      self.text = text
    }
  }

  static let long = String(repeating: "x", count: 70_000)
  static let deep = String(repeating: "(", count: 100_000)

  static let cases = [
    Case(code: .usage, saying: "missing verb"),
    Case("frob", code: .usage, saying: "unknown verb \"frob\""),
    Case("-host", code: .usage, saying: "-host requires the name"),
    Case("-host", "x", code: .usage, saying: "missing verb"),
    Case("-currentHost", code: .usage, saying: "missing verb"),
    Case("-currentHost", "frob", code: .usage, saying: "unknown verb"),
    Case("-frob", "read", code: .usage, saying: "unknown verb \"-frob\""),
    Case("read", "t", "a", "b", code: .usage, saying: "read: unexpected argument \"b\""),
    Case("read", "-x", code: .usage, saying: "unknown option -x"),
    Case("read", "--frob", "t", code: .usage, saying: "unknown option --frob"),
    Case("read", "--json=x", "t", code: .usage, saying: "--json takes no value"),
    Case("read", "--format", code: .usage, saying: "--format requires <format>"),
    Case("read-type", "t", code: .usage, saying: "read-type: missing <key>"),
    Case("read-type", code: .usage, saying: "read-type: missing <domain>"),
    Case("write", code: .usage, saying: "write: missing <domain>"),
    Case("write", "t", code: .usage, saying: "write: missing"),
    Case("write", "t", "text", "-int", code: .usage, saying: "-int requires a value"),
    Case("write", "t", "text", "-bool", "maybe", code: .usage, saying: "\"maybe\" is not a Bool"),
    Case("write", "t", "text", "-array", "-int", code: .usage, saying: "-int requires a value"),
    Case("write", "t", "text", "-int", "x", saying: "\"x\" is not a 64-bit integer"),
    Case("write", "t", "text", "-frob", "x", saying: "Unexpected argument x"),
    Case("write", "t", "text", "--json", "x", saying: "Unexpected argument x"),
    Case("write", "t", "text", "-dict", "-int", "1", "x", saying: "must be a string"),
    Case("write", "t", "text", "-dict", "-string", code: .usage, saying: "-string requires"),
    Case("write", "t", long, "v", saying: "a key has at most 65536 bytes"),
    Case("write", "t", "k\0", "v", saying: "NUL"),
    Case("write", "t", "k", deep, saying: "Could not parse"),
    Case("write", "t", deep, saying: "Could not parse"),
    Case("write", "/" + long, "k", "v", saying: "the name of the file is 70000 bytes long"),
    Case("write", "../t", "k", "v", saying: "../t is a relative path; use an absolute one"),
    Case("write", "./t", "k", "v", saying: "./t is a relative path"),
    Case("write", "~/t", "k", "v", saying: "~/t is a relative path"),
    Case("write", "", "k", "v", saying: "it is empty"),
    Case("write", "a\0", "k", "v", saying: "it contains a NUL"),
    Case("write", "/", "k", "v", saying: "does not name a file"),
    Case("write", "/proc/nowhere/x", "k", "v", saying: "Could not write domain /proc/nowhere/x"),
    Case("write", "-app", code: .usage, saying: "-app requires the name"),
    Case("rename", "t", "a", code: .usage, saying: "rename: missing <new_key>"),
    Case("rename", "t", "none", "b", saying: "Key none does not exist in domain t"),
    Case("delete", code: .usage, saying: "delete: missing <domain>"),
    Case("delete", "t", "none", saying: "Domain (t) not found."),
    Case("delete", "t", "text", "list", saying: "Unexpected argument list; leaving defaults"),
    Case("rename", "t", "text", "b", "c", saying: "Unexpected argument c; leaving defaults"),
    Case("import", "t", "a", "b", saying: "Unexpected argument b; leaving defaults unchanged."),
    Case("delete-all", code: .usage, saying: "delete-all: missing <domain>"),
    Case("import", "t", code: .usage, saying: "import: missing <path to plist>"),
    Case("import", "t", "HOME/none", saying: "cannot read HOME/none"),
    Case("import", "t", "HOME/broken", saying: "cannot import HOME/broken: line 1"),
    Case("import", "t", "HOME/array", saying: "is of type array, not a dictionary"),
    Case("import", "t", "HOME/empty", saying: "HOME/empty is empty"),
    Case("import", "t", "HOME/blank", saying: "HOME/blank is empty"),
    Case("import", "t", "HOME/mark", saying: "HOME/mark is empty"),
    Case("import", "t", "HOME/noise", saying: "cannot import HOME/noise: not a property list"),
    Case("import", "t", "-", saying: "standard input is empty"),
    Case("export", "t", "HOME/none/x", saying: "cannot write HOME/none/x"),
    Case("export", "none", "-", saying: "Domain none does not exist"),
    Case("find", code: .usage, saying: "find: missing <word>"),
    Case("explain", "t", code: .usage, saying: "explain: missing <key>"),
    Case("explain", "t", "k", "--suite", code: .usage, saying: "--suite requires <suite>"),
    Case("explain", "t", "k", "--suite", "../b", saying: "is a relative path"),
    Case("diff", "t", code: .usage, saying: "diff: missing <other_domain>"),
    Case("apply", code: .usage, saying: "apply: missing <file>"),
    Case("apply", "HOME/none", saying: "cannot read HOME/none"),
    Case("apply", "HOME/broken", saying: "cannot apply HOME/broken: line 1"),
    Case("apply", "HOME/array", saying: "cannot apply HOME/array: the top level is of type array"),
    Case("apply", "HOME/empty", saying: "HOME/empty is empty"),
    Case("write", "t", "k", "C:\\", saying: "Could not parse: C:\\. Try single-quoting it."),
    Case("write", "t", "k", "-array", "\\Ux", saying: "Could not parse: \\Ux."),
    Case("-currentHost", "-host", "x", "read", code: .usage, saying: "exclude each other"),
    Case("--user", code: .usage, saying: "missing verb"),
    Case("read", "t", "--user", "nobody", saying: "unknown user nobody"),
    Case("edit", code: .usage, saying: "edit: missing <domain>"),
    Case("restore", "HOME/broken", saying: "not a backup"),
    Case("restore", "HOME/empty", saying: "not a backup"),
    Case("restore", "HOME/none", saying: "cannot read HOME/none"),
    Case("backup", code: .usage, saying: "backup: missing <archive>"),
    Case("backup", "HOME/none/x", saying: "cannot write HOME/none/x"),
    Case("completion", "tcsh", code: .usage, saying: "no completion for \"tcsh\""),
    Case("help", "frob", code: .usage, saying: "unknown verb \"frob\""),
    Case("-host", "x", "read", "/etc/passwd", saying: "is the same for all hosts"),
    Case("-host", "x", "backup", "HOME/b", code: .usage, saying: "backup: it is for all hosts"),
    Case("-currentHost", "restore", "HOME/b", code: .usage, saying: "omit -currentHost or -host"),
    Case("-currentHost", "settings", "list", code: .usage, saying: "it is for all hosts"),
    Case("-currentHost", "check", code: .usage, saying: "checked for all hosts; name one"),
    Case("delete", "t", "--path", "none.k", saying: "pair of (t, none) does not exist"),
    Case("write", "t", "--path=", "-int", "5", saying: "the path is empty"),
    Case("write", "t", "--path", "", "-int", "5", saying: "the path is empty"),
    Case("read", "--quiet=", "t", code: .usage, saying: "--quiet takes no value"),
    Case("--quiet=", "read", "t", code: .usage, saying: "--quiet takes no value"),
    Case("read", "--format=", "xml", code: .usage, saying: "<format>; the value is empty"),
    Case("read", "--user=", "root", code: .usage, saying: "<user>; the value is empty"),
    Case("--user=", "read", "t", code: .usage, saying: "<user>; the value is empty"),
    Case("list", "t", "--suite=", code: .usage, saying: "<suite>; the value is empty"),
    Case("settings", code: .usage, saying: "settings: missing list, check or open"),
    Case("write", "t", "text", "-date", "400000-01-01", saying: "is not a date"),
    Case("write", "t", "text", "-date", "2020-01-01T12:30.5Z", saying: "is not a date"),
    Case("write", "t", "text", "-date", "2020-01-01T12:30:00+9999", saying: "is not a date"),
    Case("write", "t", "text", "-date", "2020-01-01T12:30:00+0060", saying: "is not a date"),
  ]

  // C-4, C-5, C-27, D-8
  @Test(arguments: cases)
  func `wrong input is told with the right exit code and changes nothing`(_ item: Case) throws {
    let before = fixture.values("t")
    let words = item.words.map { $0.replacingOccurrences(of: "HOME", with: fixture.directory) }
    let outcome = fixture.run(words, fixture.console())
    #expect(outcome.code == item.code)
    let text = item.text.replacingOccurrences(of: "HOME", with: fixture.directory)
    #expect(outcome.errors.contains(text), "\(outcome.errors.prefix(300))")
    #expect(outcome.output.isEmpty || item.code != .usage)
    #expect(outcome.errors.contains("type 'defaults help") == (item.code == .usage))
    #expect(fixture.values("t") == before)
    #expect(fixture.succeed("domains") == "t\n")
  }

  // C-27
  @Test func `an output that takes no more ends the command`() throws {
    let full = Failure("cannot write standard output: No space left on device")
    for (refusal, errors) in [(full, (full.text ?? "") + "\n"), (Failure.closedPipe, "")] {
      for arguments in [
        ["read"], ["read", "t"], ["domains"], ["find", "a"], ["help"], ["list", "t"],
      ] {
        let console = fixture.console()
        console.room[.output] = (0, refusal)
        #expect(
          fixture.run(arguments, console) == .init(errors: errors, code: .failure), "\(arguments)")
      }
    }
  }

  // C-31, S-9
  @Test func `a domain that is no property list hides no other one`() throws {
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    for arguments in [["domains"], ["read"], ["find", "v"]] {
      let outcome = fixture.run(arguments, fixture.console())
      #expect(outcome.code == .failure && outcome.output.contains("t"), "\(arguments): \(outcome)")
      #expect(outcome.errors.hasPrefix("Domain broken could not be read: "), "\(outcome)")
    }
    #expect(fixture.run("find", "nothing").errors.contains("Domain broken"))
    #expect(fixture.succeed("complete", "fish", "--", "read", "t").contains("t\t"))
  }

  // C-31, C-20
  @Test func `list and explain show the rest when one place can't be read`() throws {
    fixture.succeed("write", "-g", "Shared", "x")
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    for arguments in [["list", "broken"], ["explain", "broken", "Shared"]] {
      let outcome = fixture.run(arguments, fixture.console())
      #expect(outcome.code == .failure && outcome.output.contains("\"x\""), "\(outcome)")
      #expect(outcome.errors.hasPrefix("Domain broken could not be read: "), "\(outcome)")
    }
    let missing = fixture.run("explain", "broken", "None")
    #expect(missing.code == .failure && !missing.errors.contains("does not exist"), "\(missing)")
    fixture.succeed("delete", "-g", "Shared")
    #expect(fixture.run("list", "broken").errors.hasPrefix("Domain broken could not be read"))
  }

  // C-31
  @Test func `of wrong usage one line says what is wrong, and then comes the verb's syntax`() {
    for verb in Program.grammar.verbs where verb.isShown {
      let outcome = fixture.run(verb.name, "--frob")
      let lines = outcome.errors.split(separator: "\n")
      #expect(outcome.code == .usage && outcome.output.isEmpty, "\(verb.name): \(outcome)")
      #expect(lines.first == "defaults: \(verb.name): unknown option --frob", "\(outcome)")
      #expect(lines.dropFirst().first?.hasPrefix("usage: defaults \(verb.name)") == true)
      #expect(lines.count == verb.forms.count + 2, "\(outcome)")
    }
  }

  // C-31
  @Test func `delete-all goes on with the other hosts`() throws {
    fixture.succeed("write", "d", "k", "v")
    fixture.succeed("-host", "000000000001", "write", "d", "k", "v")
    fixture.succeed("-host", "000000000003", "write", "d", "k", "v")
    let broken = ["d.000000000002.plist", "d.000000000004.plist"]
    for name in broken {
      try fixture.write(Array("no property list <".utf8), to: ".config/defaults/ByHost/\(name)")
    }
    let outcome = fixture.run("delete-all", "d")
    #expect(outcome.code == .failure)
    for name in broken { #expect(outcome.errors.contains(name), "\(outcome)") }
    for host in ["000000000001", "000000000003"] {
      #expect(fixture.run("-host", host, "read", "d").code == .failure, "\(host)")
    }
    #expect(fixture.run("read", "d").errors == "Domain d does not exist\n")
  }

  // C-1
  @Test(arguments: [["domains"], ["read"], ["find", "x"], ["check"], ["domains", "--json"]])
  func `without a home there are no domains to look at, which is no empty list`(words: [String]) {
    let host = fixture.surroundings.host
    let homeless = ProcessSurroundings(
      environment: [:], userID: 4_242, user: .known(nil), isSetUID: false, host: host,
      executableName: "defaults")
    let console = fixture.console()
    #expect(Program.run(words, console, homeless) == .failure)
    #expect(console.text(of: .error) == "there is no home directory to look in; set HOME\n")
    #expect(console.text(of: .output) == "")
  }
}
