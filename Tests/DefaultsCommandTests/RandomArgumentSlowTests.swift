import CommandTesting
import Foundation
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand

/// Thousands of command lines that nobody would type.
struct RandomArgumentSlowTests {
  // C-4, C-27
  @Test func `random arguments never crash, and what fails changes nothing`() throws {
    let fixture = try CommandFixture()
    fixture.succeed("write", "t", "{text = a; list = (1); map = {k = v;};}")
    let seed = UInt64(20_261_121)
    var random = SeededGenerator(seed: seed)
    let words =
      Program.grammar.verbs.map(\.name).filter { !["watch", "edit"].contains($0) }
      + ValueFlag.allCases.map { "-" + $0.rawValue }
      + [
        "t", "text", "list", "map", "com.example.app", "-g", "-app", "-currentHost", "-host", "-",
        "--", "--json", "--format", "--format=xml", "--help", "--suite", "", "(", "{a=1;}", "é",
        "\u{0}", "../x", "1", "-1", "true", "bash", fixture.directory + "/file",
        String(repeating: "y", count: 300), "\u{FFFD}\u{1B}[0m", "{\"a\": [1, null]}",
      ]
    for run in 0..<3_000 {
      let count = Int.random(in: 0...6, using: &random)
      let arguments = (0..<count).compactMap { _ in words.randomElement(using: &random) }
      let before = fixture.values("t")
      let outcome = fixture.run(arguments, fixture.console(input: Array("{z = 1;}".utf8)))
      let isTold =
        !outcome.errors.isEmpty
        || ["diff", "check"].contains(arguments.first { !$0.hasPrefix("-") })
      if outcome.code != .success {
        #expect(isTold, "seed \(seed), run \(run): \(arguments)")
        #expect(fixture.values("t") == before, "seed \(seed), run \(run): \(arguments)")
      }
    }
  }
}
