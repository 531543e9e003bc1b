import Foundation
import SettingsBundles
import SettingsModel
import StrataPropertyList
import Testing

/// Reading bundles that are as they should be.
struct BundleReaderTests {
  private let fixture: BundleFixture

  init() throws { fixture = try BundleFixture() }

  // B-1, B-2
  @Test func `every kind of item is read with all that it says`() throws {
    try fixture.write(
      """
      { Title = Editor; StringsTable = Words; ApplicationGroupContainerIdentifier = group.editor;
        PreferenceSpecifiers = (
        { Type = PSGroupSpecifier; Title = Font; FooterText = "How text looks."; },
        { Type = PSTitleValueSpecifier; Title = Version; Key = version; DefaultValue = 1;
          Values = (1, 2); Titles = (One, Two); },
        { Type = PSTextFieldSpecifier; Title = Name; Key = name; DefaultValue = me; IsSecure = YES;
          KeyboardType = EmailAddress; AutocapitalizationType = Words; AutocorrectionType = No; },
        { Type = PSToggleSwitchSpecifier; Title = Wrap; Key = wrap; DefaultValue = NO;
          TrueValue = YES; FalseValue = NO; },
        { Type = PSSliderSpecifier; Key = size; DefaultValue = <*R12>; MinimumValue = <*I6>;
          MaximumValue = <*I72>; MinimumValueImage = small; MaximumValueImage = large; },
        { Type = PSMultiValueSpecifier; Title = Theme; Key = theme; DefaultValue = dark;
          Values = (dark, light); Titles = (Dark, Light); ShortTitles = (D, L);
          DisplaySortedByTitle = YES; },
        { Type = PSRadioGroupSpecifier; Title = Tabs; Key = tabs; DefaultValue = <*I4>;
          Values = (<*I2>, <*I4>); Titles = (Two, Four); FooterText = Width; },
        { Type = PSChildPaneSpecifier; Title = More; File = More; }); }
      """, to: "Root.plist")
    try fixture.pane("{ Type = PSToggleSwitchSpecifier; Title = A; Key = a; }", to: "More.plist")
    let (bundle, problems) = try fixture.read()
    #expect(problems == [])
    #expect(bundle.group == "group.editor")
    var field = TextField()
    (field.isSecure, field.keyboard) = (true, .email)
    (field.capitalization, field.correction) = (.words, .no)
    let themes = [
      Choice(.string("dark"), "Dark", shortTitle: "D"),
      Choice(.string("light"), "Light", shortTitle: "L"),
    ]
    let root = Pane(
      "Root", title: "Editor", table: "Words",
      [
        Specifier(.group(footer: "How text looks."), title: "Font"),
        Specifier(
          .title([Choice(.string("1"), "One"), Choice(.string("2"), "Two")]), title: "Version",
          key: "version", defaultValue: .string("1"), item: 1),
        Specifier(
          .text(field), title: "Name", key: "name", defaultValue: .string("me"), item: 2),
        Specifier(
          .toggle(on: .string("YES"), off: .string("NO")), title: "Wrap", key: "wrap",
          defaultValue: .string("NO"), item: 3),
        Specifier(
          .slider(Slider(6, 72, leastImage: "small", greatestImage: "large")), key: "size",
          defaultValue: .real(12), item: 4),
        Specifier(
          .menu(Choices(themes, isSorted: true)), title: "Theme", key: "theme",
          defaultValue: .string("dark"), item: 5),
        Specifier(
          .radio(
            Choices([Choice(.integer(2), "Two"), Choice(.integer(4), "Four")]), footer: "Width"),
          title: "Tabs", key: "tabs", defaultValue: .integer(4), item: 6),
        Specifier(.pane("More"), title: "More", item: 7),
      ])
    #expect(bundle.root == root)
    #expect(bundle.panes.map(\.name) == ["Root", "More"])
  }

  // B-3
  @Test func `default values of all panes are found, each pane once`() throws {
    let shared = "{ Type = PSChildPaneSpecifier; Title = S; File = Shared; }"
    try fixture.pane(
      shared, "{ Type = PSToggleSwitchSpecifier; Key = a; DefaultValue = x; }",
      "{ Type = PSChildPaneSpecifier; Title = T; File = Third; }")
    try fixture.pane(
      "{ Type = PSFuture; Key = b; DefaultValue = y; }", to: "Shared.plist")
    try fixture.pane(
      shared, "{ Type = PSTextFieldSpecifier; Key = c; DefaultValue = z; }", to: "Third.plist")
    let (bundle, problems) = try fixture.read()
    #expect(bundle.defaultValues == ["a": .string("x"), "b": .string("y"), "c": .string("z")])
    #expect(bundle.panes.map(\.name) == ["Root", "Shared", "Third"])
    #expect(
      problems.map(\.description) == [
        "Shared.plist: item 0: unknown type PSFuture; the item is not shown"
      ])
  }

  // B-1, B-13
  @Test(arguments: [String.Encoding.utf8, .utf16, .utf16LittleEndian])
  func `texts are translated into the first language that has them`(
    encoding: String.Encoding
  ) throws {
    try fixture.pane("{ Type = PSToggleSwitchSpecifier; Title = WRAP; Key = wrap; }")
    var german = try #require("WRAP = \"Umbrechen ü\";".data(using: encoding))
    if encoding == .utf16LittleEndian { german = Data([0xFF, 0xFE]) + german }
    try fixture.write(german, to: "de.lproj/Root.strings")
    try fixture.write("WRAP = \"Wrap lines\"; ONLY = \"Only\";", to: "en.lproj/Root.strings")
    try fixture.write("WRAP = \"Umbrächen\";", to: "de-CH.lproj/Root.strings")
    let (bundle, problems) = try fixture.read()
    #expect(problems == [])
    func text(_ key: String, _ languages: String...) -> String {
      bundle.texts.translator(into: languages).text(key, in: "Root")
    }
    #expect(text("WRAP", "de") == "Umbrechen ü")
    #expect(text("WRAP", "de_CH") == "Umbrächen")
    #expect(text("WRAP", "de-AT", "en") == "Umbrechen ü")
    #expect(text("WRAP", "fr", "de") == "Umbrechen ü")
    #expect(text("WRAP", "fr") == "Wrap lines")
    #expect(text("ONLY", "de") == "Only")
    #expect(text("NONE", "de") == "NONE")
  }
}
