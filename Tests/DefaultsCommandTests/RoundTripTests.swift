import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

@testable import DefaultsCommand

/// What is exported comes back as it was.
struct RoundTripTests {
  // C-10, C-22
  @Test(arguments: [NamedFormat.binary, .xml, .gnustep])
  func `export, delete and import restore every value and type`(_ format: NamedFormat) throws {
    let fixture = try CommandFixture()
    var limits = ValueGenerator.Limits()
    if format != .binary {
      limits.hasSingles = false
      limits.hasFractionsOfSeconds = false
      limits.hasNegativeZero = false
      limits.hasControlCharacters = false
    }
    var kept = 0
    for seed in UInt64(0)..<150 {
      var generator = ValueGenerator(seed: seed, limits: limits)
      let values = generator.dictionary().filter { !$0.key.utf8.contains(0) }
      let losses = PropertyList.losses(of: .dictionary(values), as: format.format)
      guard !values.isEmpty, losses.isEmpty else { continue }
      kept += 1
      let name = "seed\(seed)"
      let original = fixture.console(
        input: try PropertyList.encode(.dictionary(values), as: .binary))
      #expect(fixture.run(["import", name, "-"], original).code == .success, "seed \(seed)")
      let exported = fixture.console()
      let export = ["export", name, "-", "--format", format.rawValue]
      #expect(fixture.run(export, exported) == .init(output: exported.text(of: .output)))
      fixture.succeed("delete", name)
      #expect(fixture.run("read", name).code == .failure)
      let again = fixture.console(input: exported.bytes(of: .output))
      #expect(fixture.run(["import", name, "-"], again).code == .success, "seed \(seed)")
      #expect(fixture.values(name) == values, "seed \(seed)")
    }
    #expect(kept > 40, "of 150 seeds")
  }

  // C-22
  @Test func `plain OpenStep is what Apple's parser reads, and what it loses is reported`() throws {
    let fixture = try CommandFixture()
    fixture.succeed("write", "t", "list", "-array", "-int", "-2", "-bool", "yes", "-data", "00ff")
    fixture.succeed("write", "t", "list", "-array-add", "-float", "0.1", "a b")
    let one = fixture.run("export", "t", "-", "--format", "openstep")
    let expected: NSDictionary = ["list": ["-2", "1", Data([0, 255]), "0.1", "a b"]]
    let read = try PropertyListSerialization.propertyList(
      from: Data(one.output.utf8), format: nil)
    #expect(read as? NSDictionary == expected)
    #expect(
      one.errors
        == "warning: OpenStep does not preserve the types of list.0, list.1, list.3, written as "
        + "strings; use the format gnustep or xml to keep them\n")
    for key in 0..<3 { fixture.succeed("write", "t", "n\(key)", "-int", "1") }
    let more = fixture.run("read", "t", "--format", "openstep")
    #expect(more.errors.contains(" of list.0, list.1, list.3 and 3 others, "), "\(more)")
    let single = fixture.run("read", "t", "n0", "--format", "openstep")
    #expect(single.output == "1\n" && single.errors.contains("the type of the value, "))
  }

  // C-22
  @Test func `a number keeps its digits in plain OpenStep`() throws {
    let fixture = try CommandFixture()
    for number in ["0.1", "0.30000000000000004", "1e300", "-7.25"] {
      fixture.succeed("write", "t", "n", "-float", number)
      let text = fixture.run("read", "t", "n", "--format", "openstep").output
      let digits = text.filter { !"\"\n".contains($0) }
      #expect(Double(digits) == Double(number), "\(number): \(text)")
    }
  }

  // C-22
  @Test func `a lossy notation says what it lost`() throws {
    let fixture = try CommandFixture()
    fixture.succeed("write", "t", "when", "-date", "2020-01-01T00:00:00.5Z")
    fixture.succeed("write", "t", "text", "plain")
    let outcome = fixture.run("export", "t", "-")
    #expect(outcome.code == .success)
    #expect(outcome.errors == "warning: XML does not preserve when: the fraction of a second\n")
    let json = fixture.run("read", "t", "--json")
    #expect(
      json.errors
        == "warning: JSON does not preserve when: the type date (written as a string)\n")
  }

  // C-10
  @Test func `import keeps the keys that the list does not have`() throws {
    let fixture = try CommandFixture()
    fixture.succeed("write", "t", "{a = 1; b = 2;}")
    fixture.succeed("import", "t", "-", input: "{\"b\": 3, \"c\": true}")
    #expect(
      fixture.values("t") == ["a": .string("1"), "b": .integer(3), "c": .boolean(true)])
  }

  // C-10, P-1
  @Test(arguments: [PropertyListFormat.binary, .xml, .openStep, .json])
  func `import reads every notation`(_ format: PropertyListFormat) throws {
    let fixture = try CommandFixture()
    let values: [String: PropertyListValue] = [
      "text": .string("é"), "list": .array([.integer(1), .boolean(true)]),
    ]
    let bytes = try PropertyList.encode(.dictionary(values), as: format)
    #expect(fixture.run(["import", "t", "-"], fixture.console(input: bytes)).code == .success)
    #expect(fixture.values("t") == values)
  }

  // C-22
  @Test func `plain OpenStep has no typed values, and a short number its digits`() throws {
    let fixture = try CommandFixture()
    let values: PropertyListValue = ["single": .single(1.0000001), "uid": .uid(5)]
    let bytes = try PropertyList.encode(values, as: .binary)
    #expect(fixture.run(["import", "t", "-"], fixture.console(input: bytes)).code == .success)
    let outcome = fixture.run("export", "t", "-", "--format", "openstep")
    #expect(!outcome.output.contains("<*"), "\(outcome)")
    #expect(outcome.output.contains("single = 1.0000001;"), "\(outcome)")
    #expect(outcome.errors.contains("the types of single, uid, "), "\(outcome)")
    let decoded = try PropertyList.decode(Array(outcome.output.utf8)).value
    #expect(decoded.dictionaryValue?["uid"] == ["CF$UID": "5"])
  }
}
