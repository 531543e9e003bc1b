import CommandTesting
import Foundation
import StrataDomains
import Testing

@testable import DefaultsCommand

/// What a shell is told could come next.
struct CompletionTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "com.example.app", "{Volume = 1; \"two words\" = 2; \"é\" = 3;}")
    fixture.succeed("write", "com.example.other", "Key", "-bool", "yes")
    fixture.succeed("-currentHost", "write", "com.host.only", "Key", "v")
    try fixture.write(
      Array("[Desktop Entry]\nName=Editor\n".utf8), to: "share/applications/org.e.desktop")
  }

  private func candidates(_ words: String..., shell: String = "zsh") -> [String] {
    fixture.succeed("complete", shell, "--", words: words).split(separator: "\n").map {
      String($0.prefix { $0 != "\t" })
    }
  }

  // C-24
  @Test func `verbs are offered, and what may stand before them`() {
    #expect(candidates("rea") == ["read", "read-type"])
    #expect(candidates("-") == ["-currentHost", "-host", "--help", "--version"])
    #expect(candidates("-host", "") == ["test-host"])
    #expect(Set(candidates("")).isSuperset(of: ["read", "watch", "restore"]))
    #expect(!candidates("").contains("complete"))
    #expect(candidates("-currentHost", "re") == ["read", "read-type", "rename"])
    #expect(candidates("settings", "") == ["list", "check", "open"])
  }

  // C-24
  @Test func `without a home the flags for domains are offered`() throws {
    fixture.surroundings = ProcessSurroundings(
      environment: [:], userID: 4_711, user: .known(nil), isSetUID: false,
      host: HostIdentifier(of: "a machine"), executableName: "defaults")
    #expect(candidates("read", "") == ["-g", "-app"])
  }

  // C-24
  @Test func `domains are offered, of the place that is meant`() {
    #expect(candidates("read", "com.") == ["com.example.app", "com.example.other"])
    #expect(candidates("-currentHost", "read", "com.") == ["com.host.only"])
    #expect(candidates("READ", "") == ["-g", "-app", "com.example.app", "com.example.other"])
    #expect(candidates("diff", "com.example.app", "com.example.o") == ["com.example.other"])
  }

  // C-24
  @Test func `keys are offered, with their types`() {
    #expect(candidates("read", "com.example.app", "V") == ["Volume"])
    #expect(candidates("delete", "com.example.app", "") == ["Volume", "é", "two words"])
    #expect(candidates("read", "com.example.app", "two\\ w", shell: "bash") == ["two words"])
    #expect(candidates("read", "com.example.app", "\"two w", shell: "bash") == ["two words"])
    #expect(
      fixture.succeed("complete", "fish", "--", words: ["read", "com.example.other", ""])
        == "Key\tboolean\n")
    #expect(candidates("read", "com.example.none", "") == [])
  }

  // C-24
  @Test func `flags and what they take are offered`() {
    #expect(candidates("write", "t", "k", "-arr") == ["-array", "-array-add"])
    #expect(candidates("write", "t", "k", "-bool", "") == ["true", "false", "yes", "no"])
    #expect(candidates("write", "t", "k", "-array", "-b") == ["-bool", "-boolean"])
    #expect(candidates("write", "t", "k", "-array", "-arr") == [])
    #expect(candidates("read", "--f") == ["--format"])
    #expect(candidates("read", "--format", "") == ["xml", "binary", "json", "openstep", "gnustep"])
    #expect(candidates("read", "--format=x") == ["--format=xml"])
    #expect(candidates("write", "t", "--path=") == [])
    #expect(candidates("read", "t", "--frob=") == [])
    #expect(candidates("help", "wat") == ["watch"])
    #expect(candidates("completion", "") == ["bash", "zsh", "fish"])
  }

  // C-24, C-30
  @Test func `parts of a path are offered, and what the options of all verbs take`() {
    fixture.succeed("write", "t", "{Window = {Size = (1, 2); \"a.b\" = x;}; Other = 1;}")
    #expect(candidates("read", "t", "--path", "W") == ["Window"])
    #expect(candidates("read", "t", "--path", "Window.") == ["Window.Size", "Window.a\\.b"])
    #expect(
      candidates("read", "t", "--path=Window.Size.") == [
        "--path=Window.Size.0", "--path=Window.Size.1",
      ])
    #expect(candidates("read", "t", "--path", "Other.") == [])
    #expect(candidates("read", "t", "--path", "None.") == [])
    #expect(candidates("write", "t", "--path", "Window.Size.0", "-bo") == ["-bool", "-boolean"])
    #expect(candidates("--quiet", "read", "t", "O") == ["Other"])
    #expect(candidates("explain", "t", "k", "--suite", "com.example.o") == ["com.example.other"])
    #expect(candidates("read", "--user", "") == [])
  }

  // C-24, C-29
  @Test func `apply takes files, and its options are offered`() {
    #expect(candidates("apply", "a.plist", "") == [""])
    #expect(candidates("apply", "--d") == ["--dry-run", "--detailed-exitcode"])
    #expect(candidates("print") == ["printHostIdentifier"])
  }

  // C-24
  @Test func `applications are offered by their identifiers`() {
    #expect(candidates("read", "-app", "") == ["org.e"])
    #expect(candidates("read", "-app", "org", shell: "bash") == ["org.e"])
    #expect(candidates("read", "-app", "org.e", "") == [])
  }

  // C-24
  @Test func `files are the shell's to offer`() {
    let files = [""]
    #expect(candidates("read", "/e") == files)
    #expect(candidates("export", "t", "") == files)
    #expect(candidates("restore", "") == files)
    #expect(candidates("unknown", "") == files)
  }

  // C-24
  @Test func `a program that has verbs of its own completes them itself`() throws {
    try fixture.write(Array("#!/bin/sh\n".utf8), to: "bin/defaults-fleet", mode: 0o755)
    let console = fixture.console()
    #expect(fixture.run(["complete", "bash", "--", "fleet", "'a b", ""], console).code == .success)
    #expect(
      console.became == [
        fixture.directory + "/bin/defaults-fleet", "complete", "bash", "--", "'a b", "",
      ])
  }

  // C-24
  @Test func `every shell has a script that asks the command`() {
    for shell in ShellCompletion.allCases {
      #expect(
        fixture.succeed("completion", shell.rawValue).contains(" complete \(shell.rawValue) -- "))
    }
  }
}

extension CommandFixture {
  /// Runs what must succeed, with more words.
  func succeed(_ arguments: String..., words: [String]) -> String {
    let console = console()
    return run(arguments + words, console).output
  }
}
