import CommandTesting
import Foundation
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// Dates that only a binary property list can have, beside values that everything can show.
struct OutOfRangeDateTests {
  private static let list: PropertyListValue = .array([
    .date(PropertyListDate(secondsSinceReference: 1.7e15))
  ])
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    let values: PropertyListValue = ["list": Self.list, "k": "v"]
    try fixture.write(try PropertyList.encode(values, as: .binary), to: "far")
    fixture.succeed("import", "a", fixture.directory + "/far")
    fixture.succeed("write", "b", "k", "v")
  }

  // C-20, C-31
  @Test(arguments: [
    ["read"], ["read", "a"], ["read", "a", "list"], ["list", "a"], ["explain", "a", "list"],
    ["diff", "a", "b"], ["find", "list"],
  ])
  func `such a date keeps nothing else from being shown`(_ words: [String]) {
    for options in [[], ["--json"]] {
      let outcome = fixture.run(words + options, fixture.console())
      #expect(outcome.code == (words[0] == "diff" ? .failure : .success), "\(outcome)")
      #expect(outcome.output.contains("a date out of range"), "\(outcome)")
    }
  }

  // C-22
  @Test func `that JSON does not have it is reported`() {
    let outcome = fixture.run("read", "a", "--json")
    #expect(
      outcome.errors == "warning: JSON does not preserve list.0: the date, which is not finite or "
        + "out of range\n")
  }

  // C-29
  @Test(arguments: [[], ["--json"]])
  func `domains are applied after one of which such a date goes`(_ options: [String]) throws {
    try fixture.write(Array("{ a = { x = 1; }; b = { x = 1; }; }".utf8), to: "wanted")
    let words = ["apply", fixture.directory + "/wanted", "--prune"] + options
    let outcome = fixture.run(words, fixture.console())
    #expect(outcome.code == .success && outcome.errors.isEmpty, "\(outcome)")
    #expect(fixture.values("a") == ["x": "1"] && fixture.values("b") == ["x": "1"])
  }

  // C-21
  @Test(arguments: [false, true])
  func `a watch goes on after it has come and gone`(isJSON: Bool) throws {
    let console = fixture.console()
    let printer = ChangePrinter(console, isJSON: isJSON)
    let domain = try NamedDomain(typed: "a", isSetUID: false)
    printer.print(Difference(from: [:], to: ["list": Self.list]), in: domain, of: nil)
    printer.print(Difference(from: ["list": Self.list], to: [:]), in: domain, of: nil)
    #expect(printer.failure == nil)
    #expect(console.text(of: .output).split(separator: "\n").count == 2)
  }
}
