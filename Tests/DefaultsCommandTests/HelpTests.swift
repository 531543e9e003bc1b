import CommandTesting
import Foundation
import StrataDomains
import Testing

@testable import DefaultsCommand

/// Help, the manual page and the grammar that both are from.
struct HelpTests {
  // C-24
  @Test func `each verb has help, by its flag and by the verb help`() throws {
    let fixture = try CommandFixture()
    for verb in Program.grammar.verbs {
      let help = fixture.succeed("help", verb.name)
      #expect(fixture.succeed(verb.name, "--help") == help, "\(verb.name)")
      for form in verb.forms {
        #expect(help.contains(form.summary), "\(verb.name)")
      }
    }
  }

  // C-1
  @Test func `no two verbs share a name, and no two options of one`() {
    let names = Program.grammar.verbs.flatMap { [$0.name] + $0.otherNames }
    #expect(Set(names).count == names.count)
    for verb in Program.grammar.verbs {
      #expect(Set(verb.options.map(\.name)).count == verb.options.count, "\(verb.name)")
      #expect(!verb.forms.isEmpty, "\(verb.name)")
    }
  }

  // C-21
  @Test func `only the verb decides whether a command lasts, not its operands`() {
    #expect(Program.lasts(["watch", "com.example.app"]))
    #expect(Program.lasts(["-currentHost", "watch", "com.example.app"]))
    #expect(!Program.lasts(["read", "com.example.app", "watch"]))
    #expect(!Program.lasts(["write", "watch", "key", "value"]))
    #expect(!Program.lasts([]))
  }

  // C-24
  @Test func `the manual page has every verb and nothing that its formatter would misread`() throws
  {
    let page = try CommandFixture().succeed("manual")
    let macros: Set = [".TH", ".SH", ".TP", ".PP", ".IP", ".RS", ".RE", ".B"]
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(macros.contains(String(line.prefix { $0 != " " })), "\(line)")
    }
    for verb in Program.grammar.verbs where verb.isShown {
      #expect(page.contains("\\fB\(ManualPage.escaped(verb.name))\\fR"), "\(verb.name)")
    }
    #expect(page.contains("\\-\\-format=<format>"))
    #expect(ManualPage.escaped(".a\\b") == "\\&.a\\eb")
  }

  // C-24
  @Test func `the manual page explains each flag, and its examples work`() throws {
    let fixture = try CommandFixture()
    let page = fixture.succeed("manual")
    for flag in ValueFlag.allCases {
      #expect(page.contains(ManualPage.escaped(flag.summary)), "\(flag)")
    }
    #expect(page.contains("/etc/defaults/managed/users/USER/ID.plist"))
    fixture.succeed("write", "com.example.app", "FontSize", "-int", "12")
    for (line, _) in Program.grammar.program.manual.examples where !line.contains("|") {
      let words = Transcript.words(line.dropFirst("defaults ".count))
      #expect(fixture.run(words, fixture.console()).code == .success, "\(line)")
    }
  }

  // C-24
  @Test func `lines of help fit a terminal`() throws {
    let fixture = try CommandFixture()
    for line in fixture.succeed("help").split(separator: "\n") {
      #expect(line.count <= 100, "\(line)")
    }
  }

  // C-4
  @Test func `the exit codes are 0, 1, 2 and 255`() {
    #expect(ExitCode.success.rawValue == 0)
    #expect(ExitCode.failure.rawValue == 1)
    #expect(ExitCode.usage.rawValue == 255)
    #expect(ExitCode.changed.rawValue == 2)
  }

  // C-2
  @Test func `an application is found by its desktop entry or its program`() throws {
    let fixture = try CommandFixture()
    try fixture.write(
      Array("[Desktop Entry]\nType=Application\nName=Text Editor\n[Other]\nName=Wrong\n".utf8),
      to: "share/applications/org.example.Editor.desktop")
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/frob", mode: 0o755)
    try fixture.write(Array("no program".utf8), to: "bin/text")
    fixture.succeed("write", "-app", "text editor", "a", "1")
    fixture.succeed("write", "-app", "org.example.Editor", "b", "2")
    fixture.succeed("write", "-app", "frob", "c", "3")
    fixture.succeed("write", "-app", fixture.directory + "/bin/frob", "d", "4")
    #expect(fixture.succeed("domains") == "frob, org.example.Editor\n")
    #expect(fixture.succeed("read", "-app", "Text Editor", "b") == "2\n")
    #expect(fixture.values("frob").count == 2)
    for name in ["Wrong", "text", "", "../frob", "nothing"] {
      let outcome = fixture.run("read", "-app", name)
      #expect(outcome.code == .failure)
      #expect(outcome.errors.hasPrefix("Couldn't find an application named \"\(name)\""))
    }
  }

  // C-2
  @Test func `an empty variable says nothing of where desktop entries are`() throws {
    let fixture = try CommandFixture()
    try fixture.write(
      Array("[Desktop Entry]\nName=Text Editor\n".utf8),
      to: ".local/share/applications/org.example.Editor.desktop")
    let environment = fixture.surroundings.environment
    fixture.surroundings.environment = { $0.hasPrefix("XDG_DATA_") ? "" : environment($0) }
    let console = fixture.console()
    console.environment["XDG_DATA_HOME"] = ""
    #expect(fixture.run(["write", "-app", "Text Editor", "a", "1"], console).code == .success)
    #expect(fixture.values("org.example.Editor").count == 1)
  }

  // C-2
  @Test func `a program is no other application because entries can't be read`() throws {
    let fixture = try CommandFixture()
    let entries = fixture.directory + "/share/applications"
    try fixture.write(
      Array("[Desktop Entry]\nName=Frob\n".utf8), to: "share/applications/org.example.frob.desktop")
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/frob", mode: 0o755)
    let console = fixture.console()
    console.unreadable = [entries]
    let outcome = fixture.run(["write", "-app", "frob", "a", "1"], console)
    #expect(outcome.code == .failure && outcome.errors.contains("cannot list \(entries): "))
    #expect(fixture.values("frob").isEmpty)
    // What is found elsewhere counts.
    let (environment, own) = (fixture.surroundings.environment, fixture.directory + "/own")
    fixture.surroundings.environment = { $0 == "XDG_DATA_HOME" ? own : environment($0) }
    try fixture.write(
      Array("[Desktop Entry]\nName=Frob\n".utf8), to: "own/applications/org.own.frob.desktop")
    #expect(fixture.run(["write", "-app", "frob", "a", "1"], console).code == .success)
    #expect(fixture.values("org.own.frob").count == 1)
  }

  // C-24
  @Test func `a verb that is not built in runs a program beside the command or in PATH`() throws {
    let fixture = try CommandFixture()
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/defaults-fleet", mode: 0o755)
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "own/defaults-fleet", mode: 0o755)
    let console = fixture.console()
    #expect(fixture.run(["fleet", "push", "--x"], console).code == .success)
    #expect(console.became == [fixture.directory + "/bin/defaults-fleet", "push", "--x"])
    let beside = fixture.console()
    beside.ownPath = fixture.directory + "/own/defaults"
    #expect(fixture.run(["fleet"], beside).code == .success)
    #expect(beside.became == [fixture.directory + "/own/defaults-fleet"])
    for verb in ["none", "../bin/defaults-fleet", "-fleet", ""] {
      #expect(fixture.run(verb).code == .usage)
    }
  }
}
