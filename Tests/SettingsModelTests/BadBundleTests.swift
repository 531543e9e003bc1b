import Foundation
import SettingsBundles
import SettingsModel
import StrataPropertyList
import Testing

/// Bundles with something wrong in them: what is said of it, and that the rest can be used.
struct BadBundleTests {
  private let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  private static let good =
    "{ Type = PSToggleSwitchSpecifier; Title = Good; Key = good; DefaultValue = <*BY>; }"

  private func link(_ pane: String) -> String {
    "{ Type = PSChildPaneSpecifier; Title = T; File = \(pane); }"
  }

  // B-4, B-5
  @Test(arguments: [
    ("text", "it is not a dictionary"),
    ("{ Title = T; }", "it has no Type"),
    ("{ Type = (PSToggle); }", "Type is not a string"),
    ("{ Type = PSNothing; }", "unknown type PSNothing; the item is not shown"),
    ("{ Type = PSToggleSwitchSpecifier; Title = T; }", "PSToggleSwitchSpecifier has no Key"),
    ("{ Type = PSTextFieldSpecifier; Title = T; Key = \"\"; }", "PSTextFieldSpecifier has no Key"),
    ("{ Type = PSTextFieldSpecifier; Title = T; Key = (a); }", "Key is not a string"),
    ("{ Type = PSTextFieldSpecifier; Title = (a); Key = a; }", "Title is not a string"),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; KeyboardType = Piano; }",
      "unknown KeyboardType \"Piano\""
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; IsSecure = (a); }",
      "IsSecure is not a Boolean"
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; MinimumValue = <*Rnan>; }",
      "MinimumValue is not a number"
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; MinimumValue = <*I2>; "
        + "MaximumValue = <*I1>; }",
      "MinimumValue 2.0 is greater than MaximumValue 1.0"
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; MinimumValue = <*I1>; "
        + "DefaultValue = x; }",
      "is not a number, which a range is for"
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; MinimumValue = <*I2>; "
        + "MaximumValue = x; }",
      "MaximumValue is not a number"
    ),
    ("{ Type = PSSliderSpecifier; Key = a; MinimumValue = x; }", "MinimumValue is not a number"),
    (
      "{ Type = PSSliderSpecifier; Key = a; MinimumValue = <*I2>; }",
      "MinimumValue 2.0 is not less than MaximumValue 1.0"
    ),
    ("{ Type = PSChildPaneSpecifier; Title = T; }", "it has no File"),
    ("{ Type = PSChildPaneSpecifier; Title = T; File = Gone; }", "there is no pane Gone.plist"),
    (
      "{ Type = PSChildPaneSpecifier; Title = T; File = \"../Root\"; }",
      "File \"../Root\" is not the name of a pane in this bundle"
    ),
    (
      "{ Type = PSChildPaneSpecifier; Title = T; File = \"/etc/passwd\"; }",
      "File \"/etc/passwd\" is not the name of a pane"
    ),
    ("{ Type = PSChildPaneSpecifier; Title = T; File = Root; }", "form a cycle, Root → Root"),
    (
      "{ Type = PSMultiValueSpecifier; Title = T; Key = a; Values = (1); }",
      "it needs arrays Values and Titles"
    ),
    (
      "{ Type = PSMultiValueSpecifier; Title = T; Key = a; Values = 1; Titles = (a); }",
      "Values is not an array"
    ),
    (
      "{ Type = PSMultiValueSpecifier; Title = T; Key = a; Values = (1, 2); Titles = (a); }",
      "it has 2 Values, but 1 Titles"
    ),
    (
      "{ Type = PSRadioGroupSpecifier; Key = a; Values = (1); Titles = ((a)); }",
      "Titles has elements that are not strings"
    ),
    (
      "{ Type = PSRadioGroupSpecifier; Key = a; Values = (1); Titles = (a); ShortTitles = (); }",
      "it has 1 Values, but 0 ShortTitles"
    ),
    (
      "{ Type = PSRadioGroupSpecifier; Key = a; Values = (1, 1); Titles = (a, b); "
        + "DefaultValue = 1; }",
      "value \"1\" is there twice"
    ),
    (
      "{ Type = PSMultiValueSpecifier; Title = T; Key = a; Values = (1); Titles = (a); "
        + "DefaultValue = 2; }",
      "DefaultValue \"2\" is not one of its Values"
    ),
    (
      "{ Type = PSSliderSpecifier; Key = a; DefaultValue = <*R1.5>; }",
      "DefaultValue 1.5 is outside 0…1"
    ),
    (
      "{ Type = PSSliderSpecifier; Key = a; DefaultValue = x; }",
      "DefaultValue \"x\" is not a number"
    ),
    (
      "{ Type = PSToggleSwitchSpecifier; Title = T; Key = a; TrueValue = no; DefaultValue = no; }",
      "TrueValue \"no\" reads as false"
    ),
    (
      "{ Type = PSToggleSwitchSpecifier; Title = T; Key = a; FalseValue = yes; "
        + "DefaultValue = yes; }",
      "FalseValue \"yes\" reads as true"
    ),
    (
      "{ Type = PSToggleSwitchSpecifier; Title = T; Key = a; DefaultValue = maybe; }",
      "DefaultValue \"maybe\" is neither its TrueValue nor its FalseValue"
    ),
    ("{ Type = PSToggleSwitchSpecifier; Title = T; Key = a; }", "it has no DefaultValue"),
    ("{ Type = PSToggleSwitchSpecifier; Key = a; DefaultValue = <*BY>; }", "it has no Title"),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; DefaultValue = (a); }",
      "DefaultValue an array of 1 is not a string"
    ),
    (
      "{ Type = PSTextFieldSpecifier; Title = T; Key = a; DefaultValue = <*I3>; "
        + "MinimumValue = <*I1>; MaximumValue = <*I2>; }",
      "DefaultValue 3 is outside 1…2"
    ),
    (
      "{ Type = PSToggleSwitchSpecifier; Title = T; Key = good; DefaultValue = <*BY>; }",
      "key \"good\" is also that of item 0 of Root.plist"
    ),
  ])
  func `each fault is named with its file and item, and what is sound can be used`(
    item: String, fault: String
  ) throws {
    try fixture.pane(Self.good, item)
    let faults = try fixture.faults()
    #expect(
      faults.contains { $0.hasPrefix("Root.plist: item 1: ") && $0.contains(fault) }, "\(faults)")
    #expect(try fixture.read().bundle.setting(forKey: "good") != nil)
  }

  // B-4
  @Test func `a text without translation is named with its table`() throws {
    try fixture.pane(
      "{ Type = PSGroupSpecifier; Title = Group; FooterText = Foot; }", Self.good)
    try fixture.write("Good = Gut; Group = Gruppe;", to: "de.lproj/Root.strings")
    #expect(
      try fixture.faults() == [
        "Root.plist: item 0: text \"Foot\" has no translation in de.lproj/Root.strings"
      ])
  }

  // B-4, B-5
  @Test func `a circle of panes is named once and leaves the panes in it`() throws {
    try fixture.pane(Self.good, link("A"))
    try fixture.pane(link("B"), to: "A.plist")
    try fixture.pane(link("A"), to: "B.plist")
    #expect(
      try fixture.faults() == [
        "B.plist: item 0: its panes form a cycle, A → B → A; remove one of them"
      ])
    #expect(try fixture.read().bundle.panes.map(\.name) == ["Root", "A", "B"])
  }

  // B-5, B-10
  @Test func `links and other files than regular ones are not read`() throws {
    try fixture.pane(Self.good, link("Link"), link("Pipe"), link("Folder"))
    try fixture.write("{ PreferenceSpecifiers = (); }", to: "../Outside.plist")
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: fixture.path + "/Link.plist",
      withDestinationPath: fixture.directory + "/Outside.plist")
    try manager.createSymbolicLink(
      atPath: fixture.path + "/de.lproj", withDestinationPath: fixture.directory)
    #expect(mkfifo(fixture.path + "/Pipe.plist", 0o600) == 0)
    try manager.createDirectory(
      atPath: fixture.path + "/Folder.plist", withIntermediateDirectories: false)
    let faults = try fixture.faults()
    #expect(faults.contains { $0.hasPrefix("Link.plist: ") && $0.contains("it is a link") })
    #expect(faults.contains { $0.hasPrefix("Pipe.plist: ") && $0.contains("not a regular file") })
    #expect(faults.contains { $0.hasPrefix("Folder.plist: ") && $0.contains("not a regular file") })
    #expect(faults.contains { $0.hasPrefix("de.lproj/Root.strings: ") })
    #expect(try fixture.read().bundle.panes.map(\.name) == ["Root"])
  }

  // B-5, B-10
  @Test(arguments: [
    "/tmp/victim", "../evil", "~/evil", "-g", ".hidden", "NSGlobalDomain", "a\\nb", "",
  ])
  func `a group is the identifier of a suite, and never a path`(name: String) throws {
    try fixture.write(
      "{ ApplicationGroupContainerIdentifier = \"\(name)\"; PreferenceSpecifiers = (); }",
      to: "Root.plist")
    let (bundle, problems) = try fixture.read()
    #expect(bundle.group == nil)
    #expect(problems.map(\.description).first?.contains("is not the identifier of a suite") == true)
  }

  // B-5
  @Test func `all panes and texts of a bundle together are bounded, too`() throws {
    let items = (0..<9_000).map { "{ Type = PSTextFieldSpecifier; Title = T; Key = k\($0); }" }
    let list = items.joined(separator: ", ")
    try fixture.pane(link("A"), link("B"), link("C"))
    for name in ["A", "B", "C"] { try fixture.pane(list, to: name + ".plist") }
    let text = "a = \"" + String(repeating: "x", count: 9 << 20) + "\";"
    for language in 0..<8 { try fixture.write(text, to: "l\(language).lproj/Root.strings") }
    let (bundle, problems) = try fixture.read()
    #expect(bundle.panes.map(\.specifiers.count).reduce(0, +) == BundleReader.itemsMax)
    #expect(problems.contains { $0.text.contains("a bundle has at most 20000 items") })
    #expect(problems.contains { $0.text.contains("more than the limit") })
    #expect(bundle.texts.languages.count < 6)
  }

  // B-5
  @Test func `too many panes and too many levels are left out`() throws {
    try fixture.pane((0..<300).map { link("P\($0)") }.joined(separator: ", "))
    for number in 0..<300 { try fixture.pane(link("P\(number + 1)"), to: "P\(number).plist") }
    let (bundle, problems) = try fixture.read()
    #expect(bundle.panes.count <= BundleReader.panesMax)
    #expect(problems.contains { $0.text.hasPrefix("it leads too deep") })
  }

  // B-5
  @Test(arguments: [
    (Data(), "it is empty"), (Data([0, 1, 2, 0xFF]), "line 1"),
    (Data("bplist00".utf8), "byte"), (Data("{ a = ".utf8), "line 1"),
    (Data("( a )".utf8), "its top level is not a dictionary"),
    (Data("{ a = b; }".utf8), "it has no array PreferenceSpecifiers"),
    (Data("{ PreferenceSpecifiers = { }; }".utf8), "it has no array PreferenceSpecifiers"),
    (Data(String(repeating: "(", count: 100_000).utf8), "nest"),
    (Data("<?xml version=\"1.0\" encoding=\"KOI8-R\"?><plist/>".utf8), "encoding"),
  ])
  func `a root pane that can't be used is an error that names it`(
    content: Data, fault: String
  ) throws {
    try fixture.write(content, to: "Root.plist")
    let error = try #require(throws: Problem.self) { try fixture.read() }
    #expect(error.file == "Root.plist")
    #expect(error.text.contains(fault), "\(error)")
  }

  // B-5
  @Test func `a bundle that is missing, empty or no directory is an error`() throws {
    #expect(try #require(throws: Problem.self) { try fixture.read() }.text == "no such file")
    let file = fixture.directory + "/File.bundle"
    try Data().write(to: URL(fileURLWithPath: file))
    for path in [file, fixture.directory + "/Gone.bundle"] {
      let error = try #require(throws: Problem.self) { try BundleReader.read(path) }
      #expect(error.file == path)
      #expect(!BundleReader.isBundle(path))
    }
  }

  // B-5
  @Test func `a pane of many megabytes is read, and a larger one is refused`() throws {
    let text = String(repeating: "x", count: 10 << 20)
    try fixture.pane("{ Type = PSTextFieldSpecifier; Title = T; Key = a; DefaultValue = \(text); }")
    #expect(try fixture.read().bundle.defaultValues["a"]?.reads(as: .string(text)) == true)
    try fixture.write(Data(count: BundleReader.paneSizeMax + 1), to: "Root.plist")
    let error = try #require(throws: Problem.self) { try fixture.read() }
    #expect(error.text.contains("more than the limit"))
  }
}
