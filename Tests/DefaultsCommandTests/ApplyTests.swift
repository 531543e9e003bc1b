import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import DefaultsCommand

/// Domains that are made what files say.
struct ApplyTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    fixture.succeed("write", "a", "{same = x; other = 1; old = 1;}")
    fixture.succeed("-currentHost", "write", "a", "host", "1")
    try fixture.write(
      Array(
        """
        {"a": {"same": "x", "new": 5}, "-g": {"G": true}, "-delete": {"a": ["old", "none"]},
         "-currentHost": {"a": {"here": 2}, "-delete": {"a": ["host"]}}}
        """.utf8), to: "wanted.json")
  }

  private func apply(_ words: String..., input: String = "") -> CommandFixture.Outcome {
    let words = words.map { $0.replacingOccurrences(of: "HOME", with: fixture.directory) }
    return fixture.run(["apply"] + words, fixture.console(input: Array(input.utf8)))
  }

  private var state: [String] {
    [fixture.succeed("read"), fixture.succeed("-currentHost", "read")]
  }

  // C-29
  @Test func `each domain becomes what the file says, and keeps its other keys`() {
    let outcome = apply("HOME/wanted.json")
    #expect(outcome.errors.isEmpty && outcome.code == .success)
    #expect(
      outcome.output == """
        Global Domain
        + G = true
        a
        + new = 5
        - old = "1"
        a (this host)
        + here = 2
        - host = "1"

        """)
    #expect(
      fixture.values("a") == ["same": .string("x"), "other": .string("1"), "new": .integer(5)])
    #expect(fixture.values(".GlobalPreferences") == ["G": .boolean(true)])
    #expect(fixture.succeed("-currentHost", "read", "a") == "{\n    here = 2;\n}\n")
  }

  // C-29
  @Test func `applying a file again changes nothing, and writes nothing`() throws {
    #expect(apply("HOME/wanted.json", "--detailed-exitcode").code == .changed)
    let files = FileManager.default
    func written() throws -> [Date?] {
      try ["a.plist", ".GlobalPreferences.plist", ".strata/a.plist.journal"].map {
        try files.attributesOfItem(atPath: fixture.userDirectory + "/" + $0)[.modificationDate]
          as? Date
      }
    }
    let before = try written()
    #expect(apply("HOME/wanted.json", "--detailed-exitcode") == .init())
    #expect(apply("HOME/wanted.json", "--json") == .init())
    #expect(try written() == before)
  }

  // C-29
  @Test func `a dry run shows the same differences and changes nothing`() {
    let before = state
    let dry = apply("HOME/wanted.json", "--dry-run", "--detailed-exitcode")
    #expect(dry.code == .changed)
    #expect(apply("HOME/wanted.json", "--dry-run").code == .success)
    #expect(state == before)
    #expect(apply("HOME/wanted.json").output == dry.output)
    #expect(apply("HOME/wanted.json", "--dry-run", "--detailed-exitcode") == .init())
  }

  // C-29
  @Test func `prune deletes the other keys of the domains in the file`() {
    fixture.succeed("write", "b", "k", "v")
    #expect(apply("-", "--prune", input: "{\"a\": {\"same\": \"x\"}}").code == .success)
    #expect(fixture.values("a") == ["same": .string("x")])
    #expect(fixture.values("b") == ["k": .string("v")], "a domain that is not in the file")
    #expect(fixture.succeed("-currentHost", "read", "a", "host") == "1\n", "nor on this host")
    #expect(apply("-", "--prune", input: "{\"-delete\": {\"b\": [\"x\"]}}") == .init())
    #expect(apply("-", "--prune", input: "{\"b\": {}}").code == .success)
    #expect(fixture.values("b") == [:])
  }

  // C-29
  @Test func `a domain that is also called by its path, or its host by its number, is one`() {
    let path = fixture.directory + "/.config/defaults/one.plist"
    let both = "{\"one\": {\"x\": 1}, \"\(path)\": {\"y\": 2}}"
    #expect(apply("-", "--prune", "--quiet", input: both).code == .success)
    #expect(fixture.values("one") == ["x": .integer(1), "y": .integer(2)])
    let conflict = "{\"one\": {\"x\": 1}, \"-delete\": {\"\(path)\": [\"x\"]}}"
    #expect(apply("-", input: conflict).code == .failure)
    let nested = "{\"one\": {\"x\": 3}, \"-currentHost\": {\"one\": {\"y\": 4}}}"
    let host = fixture.surroundings.host.text
    let outcome = fixture.run("-host", host, "apply", "-", "--prune", "--quiet", input: nested)
    #expect(outcome.code == .success)
    #expect(fixture.succeed("-currentHost", "read", "one", "x") == "3\n")
    #expect(fixture.succeed("-currentHost", "read", "one", "y") == "4\n")
  }

  // C-29
  @Test func `with --json each difference is an object on a line`() throws {
    let lines = apply("HOME/wanted.json", "--json").output.split(separator: "\n")
    let objects = try lines.map { try PropertyList.decode(Array($0.utf8), as: .json) }
    let host = PropertyListValue.string(fixture.surroundings.host.text)
    #expect(
      objects == [
        .dictionary([
          "domain": .string("NSGlobalDomain"), "key": .string("G"), "new": .boolean(true),
        ]),
        .dictionary(["domain": .string("a"), "key": .string("new"), "new": .integer(5)]),
        .dictionary(["domain": .string("a"), "key": .string("old"), "old": .string("1")]),
        .dictionary([
          "domain": .string("a"), "host": host, "key": .string("here"), "new": .integer(2),
        ]),
        .dictionary([
          "domain": .string("a"), "host": host, "key": .string("host"), "old": .string("1"),
        ]),
      ])
    #expect(apply("HOME/wanted.json", "--quiet", "--prune").output == "")
  }

  // C-29, C-10
  @Test func `every type of value arrives, from every format`() throws {
    let values: [String: PropertyListValue] = [
      "data": .data([1]), "date": .date(PropertyListDate(secondsSinceReference: 0)),
      "real": .real(0.5), "nan": .real(.nan), "list": .array([.boolean(true), .integer(1)]),
    ]
    for format in [PropertyListFormat.binary, .xml, .openStep] {
      let name = "domain.\(format)"
      try fixture.write(
        try PropertyList.encode(.dictionary([name: .dictionary(values)]), as: format), to: "f")
      #expect(apply("HOME/f", "--quiet") == .init())
      #expect(fixture.values(name) == values, "\(format)")
      #expect(apply("HOME/f", "--detailed-exitcode") == .init(), "\(format)")
    }
  }

  // C-29
  @Test func `of several files the later one counts, and each domain is one`() throws {
    try fixture.write(Array("{n = {k = one; l = one;}; \"-delete\" = {n = (m);};}".utf8), to: "1")
    try fixture.write(Array("{n = {k = two; m = two;}; \"-delete\" = {n = (l);};}".utf8), to: "2")
    #expect(apply("HOME/1", "HOME/2", "--quiet") == .init())
    #expect(fixture.values("n") == ["k": .string("two"), "m": .string("two")])
    #expect(apply("HOME/1", "HOME/2", "--detailed-exitcode") == .init())
  }

  // C-29
  @Test func `the names of the global domain are one, and a flag chooses this host for all`() {
    #expect(
      apply("-", input: "{\"Global Domain\": {\"k\": 1}, \"-g\": {\"l\": 2}}").code == .success)
    #expect(
      fixture.values(".GlobalPreferences") == ["k": .integer(1), "l": .integer(2)])
    let console = fixture.console(input: Array("{\"a\": {\"k\": 1}}".utf8))
    #expect(
      fixture.run(["-currentHost", "apply", "-"], console).output == "a (this host)\n+ k = 1\n")
    #expect(fixture.values("a")["k"] == nil)
  }

  // C-29
  @Test(arguments: [
    ("[]", "the top level is of type array"),
    ("{\"a\": 1}", "a is of type integer, not a dictionary"),
    ("{\"a\": {\"k\": null}}", "null has no property-list form"), ("{", "line 1"),
    ("", "standard input is empty"), ("{\"-x\": {}}", "-x is not a domain"),
    ("{\"../x\": {}}", "relative path"), ("{\"\": {}}", "it is empty"),
    ("{\"-delete\": {\"a\": \"k\"}}", "a is of type string, not an array of keys"),
    ("{\"-delete\": {\"a\": [1]}}", "has a key that is not a string"),
    ("{\"-delete\": []}", "-delete is of type array"), ("{\"-currentHost\": 1}", "-currentHost is"),
    ("{\"-currentHost\": {\"-currentHost\": {}}}", "-currentHost is not a domain"),
    ("{\"-currentHost\": {\"/tmp/x\": {}}}", "is a file, which is the same for all hosts"),
    ("{\"a\": {\"k\": 1}, \"-delete\": {\"a\": [\"k\"]}}", "the key k is both set and deleted"),
    (
      "{\"-g\": {\"k\": 1}, \"NSGlobalDomain\": {\"k\": 2}}",
      "NSGlobalDomain: the file has another value for the key k of the same domain"
    ),
    ("{\"a\": {\"\\u0000\": 1}}", "NUL"),
  ])
  func `an invalid file is named with what is wrong, and nothing is changed`(
    text: String, reason: String
  ) {
    let before = state
    let outcome = apply("HOME/wanted.json", "-", input: text)
    #expect(outcome.code == .failure && outcome.output.isEmpty)
    #expect(outcome.errors.contains(reason), "\(outcome)")
    #expect(outcome.errors.contains("standard input"), "\(outcome)")
    #expect(outcome.errors.hasSuffix("Defaults have not been changed.\n"), "\(outcome)")
    #expect(state == before)
  }

  // C-29, C-31
  @Test func `a domain that can't be read does not keep others from being applied`() throws {
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    let outcome = apply(
      "-", "--detailed-exitcode", input: "{\"broken\": {\"k\": 1}, \"c\": {\"k\": 1}}")
    #expect(outcome.code == .failure)
    #expect(outcome.errors.hasPrefix("Domain broken could not be read: "), "\(outcome)")
    #expect(outcome.output == "c\n+ k = 1\n")
    #expect(fixture.values("c") == ["k": .integer(1)])
  }

  // C-29
  @Test func `all domains are applied where the differences can't be printed`() throws {
    let full = Failure("cannot write standard output: No space left on device")
    let file = "{\"broken\": {\"k\": 1}, \"c\": {\"k\": 1}, \"d\": {\"k\": 1}}"
    try fixture.write(Array("no property list <".utf8), to: ".config/defaults/broken.plist")
    for (number, stream) in [DefaultsCommand.Stream.output, .error].enumerated() {
      let console = fixture.console(input: Array(file.utf8))
      console.room[stream] = (0, full)
      #expect(fixture.run(["apply", "-"], console).code == .failure, "\(number)")
      #expect(fixture.values("c") == ["k": 1] && fixture.values("d") == ["k": 1], "\(number)")
      #expect(fixture.run("delete", "c").code == .success)
      #expect(fixture.run("delete", "d").code == .success)
    }
  }
}
