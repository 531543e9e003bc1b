import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import Testing

@testable import DefaultsCommand

/// Where values are from.
struct ExplainTests {
  private let fixture: CommandFixture

  init() throws {
    fixture = try CommandFixture()
    let name = "com.example.app"
    fixture.succeed("write", name, "Volume", "-int", "5")
    fixture.succeed("-currentHost", "write", name, "Volume", "-int", "4")
    fixture.succeed("write", "-g", "Volume", "-int", "8")
    try fixture.write(["Volume": .integer(9)], toList: "system/\(name).plist")
    try fixture.write(["Volume": .integer(2)], toList: "system/managed/\(name).plist")
    try fixture.write(["Volume": .integer(12)], toList: "system/recommended/\(name).plist")
    for folder in ["system", "system/managed", "system/recommended"] {
      chmod(fixture.directory + "/" + folder, 0o755)
    }
  }

  private func lines(_ arguments: String...) -> [String] {
    let outcome = fixture.run(arguments, fixture.console())
    #expect(outcome.code == .success, "\(outcome)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  // C-20, D-1
  @Test func `explain shows every place in order, which one counts, and what forces it`() throws {
    let lines = lines("explain", "com.example.app", "Volume")
    let values = lines.filter { $0.contains(" = ") }
    let system = fixture.directory + "/system"
    #expect(values.count == 6)
    #expect(
      values.first
        == "=>  2 managed, all users  \(system)/managed/com.example.app.plist = 2"
        + "  (forced by this file)")
    #expect(
      values.map { $0.split(separator: "= ").last.map(String.init) ?? "" }.dropFirst()
        == ["4", "5", "8", "9", "12"])
    let numbers = lines.compactMap { Int($0.dropFirst(2).prefix(3).filter(\.isNumber)) }
    #expect(numbers == numbers.sorted())
    #expect(numbers.first == 1 && numbers.last == 14)
  }

  // M-10
  @Test func `explain shows the policy that a managed value comes from, and what it overrode`()
    throws
  {
    let plist = fixture.directory + "/system/managed/com.example.app.plist"
    let entry = Provenance.Entry(
      value: 2, policy: "group:build/com.example.app", version: 7, author: "ann",
      reason: "loud\u{1B} rooms", until: PropertyListDate(secondsSinceReference: 0),
      overrode: ["all/com.example.app version 3"])
    func keep(_ entry: Provenance.Entry) throws {
      let bytes = try PropertyList.encode(Provenance(["Volume": entry]).encoded, as: .binary)
      try Data(bytes).write(to: URL(fileURLWithPath: Provenance.path(besidePlist: plist)))
    }
    try keep(entry)
    let lines = lines("explain", "com.example.app", "Volume")
    let place = try #require(lines.firstIndex { $0.contains("(forced by this file)") })
    #expect(
      lines[(place + 1)...].prefix(3).map { $0.drop { $0 == " " } } == [
        "policy group:build/com.example.app, version 7, by ann: loud\\033 rooms",
        "until 2001-01-01 00:00:00 +0000", "overrides all/com.example.app version 3",
      ])
    #expect(
      self.lines("explain", "com.example.app", "Volume", "--json").joined()
        .contains("group:build/com.example.app"))
    // It was written for another value than the one that is there.
    var other = entry
    other.value = 3
    try keep(other)
    #expect(!self.lines("explain", "com.example.app", "Volume").contains { $0.contains("policy") })
  }

  // C-20
  @Test func `a managed file that others may write is told and does not count`() throws {
    chmod(fixture.directory + "/system/managed/com.example.app.plist", 0o666)
    let lines = lines("explain", "com.example.app", "Volume")
    #expect(
      lines.contains {
        $0.hasPrefix("   2") || $0.contains(" 2 managed") && $0.contains("is ignored")
      })
    #expect(lines.contains { $0.hasPrefix("=>  4 ") })
  }

  // C-20
  @Test func `list shows what counts and its origin`() throws {
    fixture.succeed("write", "-g", "Other", "x")
    let lines = lines("list", "com.example.app")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("Other = \"x\"  (global, this user  "))
    #expect(lines[1].hasPrefix("Volume = 2  (managed, all users  "))
    #expect(lines[1].hasSuffix(", forced)"))
  }

  // C-3
  @Test func `read sees one place, whatever counts`() throws {
    #expect(fixture.succeed("read", "com.example.app", "Volume") == "5\n")
    #expect(fixture.succeed("-currentHost", "read", "com.example.app", "Volume") == "4\n")
    #expect(fixture.run("read", "com.example.other", "Volume").code == .failure)
  }

  // C-3, C-2
  @Test func `a file of the administrator can be written, for all to read`() throws {
    let path = fixture.directory + "/system/com.example.new"
    fixture.succeed("write", path, "a", "b")
    let attributes = try FileManager.default.attributesOfItem(atPath: path + ".plist")
    #expect(attributes[.posixPermissions] as? Int == 0o644)
  }
}
