import CommandTesting
import Foundation
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
}
