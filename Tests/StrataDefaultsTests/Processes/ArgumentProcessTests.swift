import Foundation
import StrataTesting
import Testing

/// The command line of a fresh process as a domain.
@Suite(.waiting) struct ArgumentProcessTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  // D-22…D-24
  @Test func `the command line is searched as a domain`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "arguments", "set text set", "get text", "suite other text",
      arguments: [
        "word", "-text", "value", "-list", "(de, en)", "-map", "{a=1;}", "-data", "<deadbeef>",
        "-number", "<integer>-5</integer>", "-scheme", "(load \"test.scm\")", "-a", "-b", "v",
        "-n", "-5", "--long", "skipped", "-", "-last", "--", "-behind", "nothing",
      ])
    let domain = [
      "b=v", "data=<deadbeef>", "list=(de,en)", "map={a=1}", "number=-5",
      "scheme=(load \"test.scm\")", "text=value",
    ]
    #expect(answers == [domain.joined(separator: " "), "ok", "value", "value"])
  }

  // D-5, D-22
  @Test func `a value from the command line is not stored`() throws {
    let answers = try DomainsProcess.answers(
      in: fixture, "get key", "set other x", "sync", arguments: ["-key", "value"])
    #expect(answers == ["value", "ok", "true"])
    #expect(try DomainsProcess.answers(in: fixture, "get key", "get other") == ["nil", "x"])
  }

  // D-25
  @Test func `no argument ends the process`() throws {
    let process = try DomainsProcess(
      in: fixture, ["get last"],
      arguments: [
        "-a", String(repeating: "(", count: 100_000), "-b", "\"", "-c", "<?xml", "-d", "{a=",
        "-e", "\u{FFFD}", "-f", "<", "-last", "reached",
      ])
    let result = try process.result()
    #expect(result.answers == ["reached"])
    #expect(result.status == 0)
  }

  // D-25
  @Test func `bytes that are no text do not end the process`() throws {
    let process = try DomainsProcess(
      in: fixture, ["get last"],
      arguments: [
        "-c", "exec \"$0\" -x \"$(printf '\\377\\300(')\" -last reached", DomainsProcess.program,
      ], program: "/bin/sh")
    #expect(try process.result().answers == ["reached"])
  }

  // D-21
  @Test func `languages on the command line change what follows from them`() throws {
    let lines = ["get AppleLanguages", "get AppleLocale", "get NSDecimalSeparator"]
    let result = try DomainsProcess(
      in: fixture, lines, arguments: ["-AppleLanguages", "(de)"]
    ).result()
    #expect(result.answers == ["(de)", "de", ","])
    let usual = try DomainsProcess(in: fixture, lines).result()
    #expect(usual.answers == ["(en-US)", "en_US", "."])
    let french = try DomainsProcess(in: fixture, lines, environment: ["LC_ALL": "fr_CA.UTF-8"])
      .result()
    #expect(french.answers == ["(fr-CA)", "fr_CA", ","])
  }
}
