import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// What the command knows of a domain with a Settings bundle.
struct DescribedSettingTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    try write(
      """
      { Title = Editor; PreferenceSpecifiers = (
        { Type = PSGroupSpecifier; Title = Font; },
        { Type = PSSliderSpecifier; Title = Size; Key = size; DefaultValue = <*I12>;
          MinimumValue = <*I6>; MaximumValue = <*I72>; StrataDescription = "In points."; },
        { Type = PSToggleSwitchSpecifier; Title = Wrap; Key = wrap; DefaultValue = <*BN>; },
        { Type = PSMultiValueSpecifier; Title = Theme; Key = theme; DefaultValue = dark;
          Values = (dark, light); Titles = (Dark, Light); },
        { Type = PSTextFieldSpecifier; Title = Secret; Key = secret; DefaultValue = "";
          IsSecure = YES; }); }
      """, to: "Root.plist")
  }

  private func write(_ text: String, to name: String) throws {
    try fixture.write(Array(text.utf8), to: "\(Self.bundle)/\(name)")
  }

  private static let bundle = ".local/share/defaults/com.example.app.bundle"
  private var path: String { fixture.directory + "/" + Self.bundle }

  private func stored(_ key: String) -> String {
    fixture.succeed("read-type", "com.example.app", key)
      + fixture.succeed("read", "com.example.app", key)
  }

  // B-11
  @Test func `a setting is described with its value and where that is from`() throws {
    fixture.succeed("write", "com.example.app", "size", "-int", "14")
    #expect(
      fixture.succeed("describe", "com.example.app", "size") == """
        size: Size
            in        Editor › Font
            about     In points.
            type      whole number in 6…72
            default   12
            value     14  (this user  \(fixture.directory)/.config/defaults/com.example.app.plist)

        """)
    #expect(
      fixture.succeed("describe", "com.example.app").split(separator: "\n\n").map {
        String($0.prefix { $0 != ":" })
      } == ["size", "wrap", "theme", "secret"])
    #expect(
      fixture.succeed("describe", "com.example.app", "theme")
        .hasSuffix("    value     \"dark\"  (the default)\n"))
    let json = fixture.succeed("describe", "com.example.app", "theme", "--json")
    for part in [
      "\"type\": \"choice\"", "\"title\": \"Light\"", "\"default\": \"dark\"",
      "\"value\": \"dark\"", "\"name\": \"described default\"",
    ] {
      #expect(json.contains(part), "\(json)")
    }
  }

  // B-11, C-31
  @Test func `the default is not said to be the value of a domain that can't be read`() throws {
    fixture.isLeftBroken = true
    try fixture.write(
      Array("no property list <".utf8), to: ".config/defaults/com.example.app.plist")
    for words in [["theme"], ["--json"]].map({ ["describe", "com.example.app"] + $0 }) {
      let outcome = fixture.run(words, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains("com.example.app.plist"))
      #expect(!outcome.output.contains("(the default)") && !outcome.output.contains("isForced"))
    }
  }

  // B-11
  @Test func `the value of a secret is not shown`() {
    fixture.succeed("set", "com.example.app", "secret", "hidden word")
    #expect(!fixture.succeed("describe", "com.example.app", "secret").contains("hidden word"))
    #expect(
      !fixture.succeed("describe", "com.example.app", "secret", "--json").contains("hidden word"))
  }

  // B-11
  @Test func `a word is stored with the type that is described`() {
    fixture.succeed("set", "com.example.app", "size", "14")
    #expect(stored("size") == "Type is integer\n14\n")
    fixture.succeed("set", "com.example.app", "wrap", "on")
    #expect(stored("wrap") == "Type is boolean\n1\n")
    fixture.succeed("set", "com.example.app", "theme", "Light")
    #expect(stored("theme") == "Type is string\nlight\n")
  }

  // B-11
  @Test(arguments: [
    (["size", "99"], "size: 99 is outside 6…72"),
    (["theme", "blue"], "theme: \"blue\" is none of its choices: dark, light"),
    (["wrap", "maybe"], "wrap: \"maybe\" is not on or off"),
    (["gone", "1"], "describes no setting gone; it has: size, wrap, theme, secret"),
  ])
  func `what a setting does not take is refused with what it takes`(
    words: [String], text: String
  ) {
    let outcome = fixture.run(["set", "com.example.app"] + words, fixture.console())
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains(text), "\(outcome)")
    #expect(fixture.run("read", "com.example.app").code == .failure)
  }

  // B-11
  @Test func `a domain without a bundle is told where one could be`() {
    let outcome = fixture.run("describe", "com.example.other")
    #expect(outcome.code == .failure)
    #expect(outcome.errors.contains("No Settings bundle describes domain com.example.other"))
    #expect(outcome.errors.contains("/defaults/com.example.other.bundle"))
  }

  // B-11, C-20
  @Test func `the described default is the lowest place`() {
    fixture.succeed("write", "com.example.app", "theme", "light")
    let list = fixture.succeed("list", "com.example.app")
    #expect(list.contains("size = 12  (described default  \(path))"), "\(list)")
    #expect(list.contains("theme = \"light\"  (this user"), "\(list)")
    let explained = fixture.succeed("explain", "com.example.app", "size")
    #expect(explained.hasSuffix("=>    described default  \(path) = 12\n"), "\(explained)")
    #expect(
      fixture.succeed("explain", "com.example.app", "theme")
        .hasSuffix("      described default  \(path) = \"dark\"\n"))
  }

  // B-11, C-24
  @Test func `described keys and choices are offered`() {
    func candidates(_ words: String...) -> [String] {
      fixture.succeed("complete", "zsh", "--", words: words).split(separator: "\n").map {
        String($0.prefix { $0 != "\t" })
      }
    }
    #expect(candidates("set", "com.example.app", "") == ["size", "wrap", "theme", "secret"])
    #expect(candidates("set", "com.example.app", "theme", "") == ["dark", "light"])
    #expect(candidates("set", "com.example.app", "wrap", "") == ["on", "off"])
    #expect(candidates("write", "com.example.app", "th") == ["theme"])
  }

  // B-4, B-11
  @Test func `a bundle is checked, each problem with its file and item`() throws {
    #expect(fixture.succeed("settings", "check", path) == "no problems found\n")
    #expect(fixture.succeed("settings", "list") == "com.example.app  \(path)\n")
    try write("{ PreferenceSpecifiers = ({ Type = PSSliderSpecifier; }, x); }", to: "Root.plist")
    let outcome = fixture.run("settings", "check", path)
    #expect(outcome.code == .failure)
    #expect(
      outcome.output == """
        Root.plist: item 0: PSSliderSpecifier has no Key
        Root.plist: item 1: it is not a dictionary

        """)
    try write("{ PreferenceSpecifiers = ({ Type = PSFuture; }); }", to: "Root.plist")
    #expect(
      fixture.succeed("settings", "check", path)
        == "Root.plist: item 0: warning: unknown type PSFuture; the item is not shown\n")
    try write("damaged {", to: "Root.plist")
    #expect(fixture.run("settings", "check", path).code == .failure)
    #expect(fixture.run("settings", "list").code == .failure)
    let read = fixture.run("list", "com.example.app")
    #expect(read.errors.contains("warning: \(path) is not used: Root.plist: "))
  }

  // B-6
  @Test func `the page is another program, which is told what to open`() throws {
    #expect(
      fixture.run("settings", "open", "com.example.app").errors.contains("defaults-settings"))
    let console = fixture.console()
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/defaults-settings")
    chmod(fixture.directory + "/bin/defaults-settings", 0o755)
    _ = fixture.run(["settings", "open", "com.example.app", "--port=8080"], console)
    #expect(
      console.became == [
        fixture.directory + "/bin/defaults-settings", "open", "com.example.app", "--port", "8080",
      ])
  }

  /// What the program for the page is told to open; nil if it is not started.
  private func opened(_ words: [String]) throws -> (target: String?, CommandFixture.Outcome) {
    let console = fixture.console()
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/defaults-settings", mode: 0o755)
    let outcome = fixture.run(words, console)
    return (console.became.count == 3 ? console.became[2] : nil, outcome)
  }

  // B-6, C-2, C-28
  @Test func `the page is opened for the domain that any other verb would take`() throws {
    for name in ["-g", "Global Domain", ".GlobalPreferences"] {
      #expect(try opened(["settings", "open", name]).target == "NSGlobalDomain")
    }
    #expect(try opened(["settings", "open", "/a/../b"]).target == "/b.plist")
    let (target, outcome) = try opened(["settings", "open", "./foo"])
    #expect(target == nil && outcome.errors.contains("is a relative path"), "\(outcome)")
    let (none, usage) = try opened(["settings", "open", "-x"])
    #expect(none == nil && usage.code == .usage, "\(usage)")
  }

  // B-6, C-30
  @Test func `the page is not opened for another user or one host`() throws {
    let users = [("other", UserRecord(id: 1, group: 1, name: "other", home: fixture.directory))]
    for words in [["-currentHost"], ["-host", "h"], ["--user", "other"]] {
      let console = fixture.console()
      console.users = Dictionary(uniqueKeysWithValues: users)
      try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/defaults-settings", mode: 0o755)
      let outcome = fixture.run(words + ["settings", "open", "d"], console)
      #expect(console.became == [] && outcome.code != .success, "\(outcome)")
      #expect(!outcome.errors.isEmpty)
    }
  }

  // B-11, C-31
  @Test(arguments: [
    ["settings"], ["settings", "other"], ["settings", "check"], ["set", "d", "k"],
  ])
  func `wrong usage is answered with the syntax`(words: [String]) {
    let outcome = fixture.run(words, fixture.console())
    #expect(outcome.code == .usage)
    #expect(outcome.errors.contains("usage: "))
  }

  // B-3, C-20
  @Test func `the settings of a bundle's group are those of the group's domain`() throws {
    let text = """
      { ApplicationGroupContainerIdentifier = group.shared; PreferenceSpecifiers = (
        { Type = PSTextFieldSpecifier; Title = K; Key = k; DefaultValue = v; }); }
      """
    let bundle = ".local/share/defaults/com.example.member.bundle"
    try fixture.write(Array(text.utf8), to: bundle + "/Root.plist")
    fixture.succeed("set", "com.example.member", "k", "w")
    #expect(fixture.succeed("read", "group.shared", "k") == "w\n")
    #expect(fixture.succeed("describe", "com.example.member", "k").contains("value     \"w\""))
    let list = fixture.succeed("list", "com.example.member")
    #expect(list.hasPrefix("k = \"w\"  (") && list.contains("group.shared"), "\(list)")
    let explained = fixture.succeed("explain", "com.example.member", "k")
    let winner = explained.split(separator: "\n").filter { $0.hasPrefix("=>") }
    #expect(winner.count == 1 && winner.first?.hasSuffix("= \"w\"") == true, "\(explained)")
    #expect(explained.contains("described default"))
    fixture.succeed("delete", "group.shared", "k")
    #expect(fixture.succeed("list", "com.example.member").contains("k = \"v\"  (described"))
  }
}
