import CommandTesting
import Foundation
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// Colours and progress, and where there are none.
struct TerminalTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "a", "k", "1")
    fixture.succeed("write", "b", "k", "2")
  }

  private func run(
    _ arguments: [String], _ terminals: Set<DefaultsCommand.Stream>,
    _ environment: [String: String] = [:]
  ) -> CommandFixture.Outcome {
    let console = fixture.console()
    console.terminals = terminals
    console.environment.merge(environment) { $1 }
    return fixture.run(arguments, console)
  }

  // C-26
  @Test func `colours are used on a terminal only`() {
    let diff = ["diff", "a", "b"]
    #expect(run(diff, [.output]).output.contains("\u{1B}[31m- k = \"1\"\u{1B}[0m"))
    #expect(!run(diff, [.error]).output.contains("\u{1B}"))
    #expect(!run(diff, [.output], ["NO_COLOR": "1"]).output.contains("\u{1B}"))
    #expect(run(diff, [.output], ["NO_COLOR": ""]).output.contains("\u{1B}"))
    #expect(!run(diff, [.output], ["TERM": "dumb"]).output.contains("\u{1B}"))
    #expect(run(["explain", "a", "k"], [.output]).output.contains("\u{1B}[1m=>"))
    #expect(!run(["read", "a"], [.output]).output.contains("\u{1B}"))
  }

  // C-11
  @Test func `what a domain holds never drives a terminal`() {
    fixture.succeed("write", "c", "k", "-string", "one\u{1B}[2J\ttwo\nthree\u{9B}4m")
    let raw = "one\u{1B}[2J\ttwo\nthree\u{9B}4m\n"
    #expect(run(["read", "c", "k"], []).output == raw)
    #expect(run(["read", "c", "k"], [.error]).output == raw)
    #expect(
      run(["read", "c", "k"], [.output]).output == "one\\033[2J\ttwo\nthree\\U009b4m\n")
    for words in [["read", "c"], ["read"], ["read", "c", "--json"]] {
      #expect(!run(words, [.output]).output.contains("\u{1B}"), "\(words)")
    }
    #expect(run(["read", "c", "--format", "binary"], [.output]).code == .failure)
    #expect(run(["read", "c", "--format", "binary"], []).code == .success)
  }

  // C-26
  @Test(arguments: [["backup", "HOME/x"], ["restore", "HOME/all"], ["import", "a", "HOME/list"]])
  func `progress is shown where the standard error is a terminal, and cleared`(
    _ words: [String]
  ) throws {
    fixture.succeed("backup", fixture.directory + "/all")
    try fixture.write(Array("{x = 1;}".utf8), to: "list")
    let arguments = words.map { $0.replacingOccurrences(of: "HOME", with: fixture.directory) }
    let shown = run(arguments, [.error])
    #expect(shown.code == .success)
    #expect(shown.errors.hasPrefix("\r\u{1B}[K\(words[0])"))
    #expect(shown.errors.hasSuffix("\r\u{1B}[K"))
    #expect(run(arguments, [.output]).errors.isEmpty)
    #expect(run(arguments, [.error], ["TERM": "dumb"]).errors.isEmpty)
  }

  // C-11, C-22
  @Test func `nor does it where it is shown in a format`() throws {
    let text = "one\u{9B}4m\u{7F}\u{202E}two\u{2028}\u{E9}\tthree\nfour\r"
    let escaped = ["\u{9B}", "\u{7F}", "\u{202E}", "\u{2028}", "\r"]
    fixture.succeed("write", "d", "k", "-string", text)
    for words in [
      ["read", "d", "--json"], ["read", "d", "--format", "xml"], ["export", "d", "-"],
      ["read", "d", "--format", "openstep"], ["export", "d", "-", "--json"],
    ] {
      let shown = run(words, [.output])
      let scalars = Set(shown.output.unicodeScalars.map { String($0) })
      #expect(scalars.isDisjoint(with: escaped), "\(words): \(shown)")
      let value = try PropertyList.decode(Array(shown.output.utf8)).value
      #expect(value == ["k": .string(text)], "\(words): \(shown)")
    }
    #expect(run(["export", "d", "-"], []).output.contains("one\u{9B}4m\u{7F}\u{202E}two"))
    #expect(run(["read", "d", "--json"], []).output.contains("\u{9B}4m"))
    #expect(run(["export", "d", "-", "--format", "binary"], [.output]).code == .failure)
    #expect(run(["backup", "-"], [.output]).code == .failure)
    #expect(run(["backup", "-"], []).code == .success)
  }
}
