import Foundation
import StrataPropertyList
import Testing

import struct StrataDefaults.DefaultsError
import class StrataDefaults.UserDefaults

/// Values to register that are in files.
struct RegisteredFileTests {
  private let fixture: DefaultsFixture

  init() throws { fixture = try DefaultsFixture() }

  private func register(_ name: String) throws {
    try fixture.defaults.register(contentsOf: url(name))
  }

  private func url(_ name: String) -> URL {
    URL(fileURLWithPath: fixture.directory + "/" + name)
  }

  private func write(_ text: String, to name: String) throws {
    try ListFile.write(text, to: fixture.directory + "/" + name)
  }

  /// What is said of a file that can't be registered; nil when it could, or changed something.
  private func refusal(of name: String) -> DefaultsError? {
    do {
      try fixture.defaults.register(contentsOf: url(name))
    } catch {
      let registered = fixture.defaults.volatileDomain(forName: UserDefaults.registrationDomain)
      return registered.isEmpty ? error : nil
    }
    return nil
  }

  private var registered: [String: String]? {
    fixture.defaults.volatileDomain(forName: UserDefaults.registrationDomain) as? [String: String]
  }

  // D-20
  @Test(arguments: [PropertyListFormat.binary, .xml, .openStep, .json])
  func `a property list in any notation is registered`(format: PropertyListFormat) throws {
    let list = PropertyListValue.dictionary(["key": .string("é"), "list": .array([.string("x")])])
    try Data(PropertyList.encode(list, as: format)).write(to: url("defaults"))
    fixture.defaults.register(defaults: ["other": 1, "key": "old"])
    try register("defaults")
    #expect(fixture.defaults.string(forKey: "key") == "é")
    #expect(fixture.defaults.stringArray(forKey: "list") == ["x"])
    #expect(fixture.defaults.integer(forKey: "other") == 1)
    fixture.defaults.set("set", forKey: "key")
    #expect(fixture.defaults.string(forKey: "key") == "set")
    #expect(fixture.defaults.persistentDomain(forName: DefaultsFixture.identifier)?.count == 1)
  }

  // D-20
  @Test(arguments: [
    ("absent", nil, "no such file"),
    ("list.json", "[1, 2]", "its top level is not a dictionary"),
    ("broken.plist", "<plist><dict><key>a</dict></plist>", "line 1, column "),
    ("nul.json", "{\"a\\u0000b\": 1}", "NUL"),
  ])
  func `what can't be registered changes nothing and is named`(
    name: String, text: String?, reason: String
  ) throws {
    if let text { try write(text, to: name) }
    let error = try #require(refusal(of: name))
    let path = fixture.directory + "/" + name
    #expect(error.path == path)
    #expect(error.reason.contains(reason))
    #expect(error.description == "\(path): \(error.reason)")
    #expect(error.localizedDescription == error.description)
  }

  // D-20
  @Test func `only files are read`() throws {
    let address = try #require(URL(string: "https://example.com/a.plist"))
    #expect(throws: DefaultsError.self) {
      try fixture.defaults.register(contentsOf: address)
    }
    #expect(refusal(of: "") != nil)
  }

  // -- Settings bundles

  private func pane(_ specifiers: String) -> String {
    "{ PreferenceSpecifiers = (\(specifiers)); }"
  }

  private func child(_ name: String) -> String {
    "{ Type = PSChildPaneSpecifier; File = \"\(name)\"; }"
  }

  private func setting(_ key: String, _ value: String) -> String {
    "{ Type = PSTextFieldSpecifier; Key = \(key); DefaultValue = \(value); }"
  }

  // D-20
  @Test(arguments: ["Settings.bundle", "Settings.bundle/", "Settings.bundle/Root.plist"])
  func `the default values in all panes of a Settings bundle are registered`(name: String) throws {
    try write(
      pane(
        "{ Type = PSGroupSpecifier; Title = Group; }, \(setting("a", "1")), \(child("Sub")), "
          + "{ Type = PSTitleValueSpecifier; Key = without; }, \(child("Other")), "
          + "{ Type = PSChildPaneSpecifier; File = Sub; Key = child; DefaultValue = own; }"),
      to: "Settings.bundle/Root.plist")
    try write(
      pane("\(setting("b", "2")), \(child("Deep"))"), to: "Settings.bundle/Sub.plist")
    try write(pane(setting("c", "3")), to: "Settings.bundle/Deep.plist")
    try write(pane("\(setting("d", "4")), \(child("Deep"))"), to: "Settings.bundle/Other.plist")
    try write(pane(setting("e", "5")), to: "Settings.bundle/Unused.plist")
    try register(name)
    #expect(registered == ["a": "1", "b": "2", "c": "3", "d": "4", "child": "own"])
  }

  // D-20
  @Test func `a list that is called as a root pane and is none is a list`() throws {
    try write("{ key = value; }", to: "Root.plist")
    try register("Root.plist")
    #expect(registered == ["key": "value"])
    try write(pane(setting("inner", "1")), to: "plain.plist")
    try register("plain.plist")
    #expect(fixture.defaults.array(forKey: "PreferenceSpecifiers")?.count == 1)
    #expect(fixture.defaults.object(forKey: "inner") == nil)
  }

  // D-20
  @Test func `panes that lead in a circle are refused and the circle is named`() throws {
    try write(pane("\(setting("a", "1")), \(child("A"))"), to: "S.bundle/Root.plist")
    try write(pane(child("B")), to: "S.bundle/A.plist")
    try write(pane(child("A")), to: "S.bundle/B.plist")
    let error = try #require(refusal(of: "S.bundle"))
    #expect(error.path == fixture.directory + "/S.bundle/B.plist")
    #expect(error.reason.contains("A → B → A"))
  }

  // B-3, D-20
  @Test(arguments: [
    (
      "{ Type = PSChildPaneSpecifier; File = Gone; }", "Root.plist",
      "item 1: there is no pane Gone.plist"
    ),
    ("{ Type = PSChildPaneSpecifier; }", "Root.plist", "item 1: it has no File"),
    (
      "{ Type = PSChildPaneSpecifier; File = \"../Root\"; }", "Root.plist",
      "item 1: File \"../Root\" is not the name of a pane"
    ),
    ("text", "Root.plist", "item 1: it is not a dictionary"),
    ("{ Type = PSChildPaneSpecifier; File = List; }", "List.plist", "has no array"),
  ])
  func `a Settings bundle with a fault in it registers nothing`(
    specifier: String, file: String, reason: String
  ) throws {
    try write(pane("\(setting("a", "1")), \(specifier)"), to: "S.bundle/Root.plist")
    try write("{ a = b; }", to: "S.bundle/List.plist")
    let error = try #require(refusal(of: "S.bundle"))
    #expect(error.path == fixture.directory + "/S.bundle/" + file)
    #expect(error.reason.contains(reason))
  }

  // D-20
  @Test func `a Settings bundle without its root pane is named by it`() throws {
    try write(pane(""), to: "S.bundle/Other.plist")
    let error = try #require(refusal(of: "S.bundle"))
    #expect(error.path == fixture.directory + "/S.bundle/Root.plist")
  }
}
