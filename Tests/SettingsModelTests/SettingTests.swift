import SettingsBundles
import SettingsModel
import StrataPropertyList
import Testing

/// Settings that a bundle describes, and the words that people type for their values.
struct SettingTests {
  private func setting(
    _ kind: Specifier.Kind, _ value: PropertyListValue? = nil
  ) throws -> Setting {
    let pane = Pane("Root", [Specifier(kind, title: "T", key: "k", defaultValue: value)])
    return try #require(SettingsBundle(panes: [pane]).setting(forKey: "k"))
  }

  private func value(of word: String, _ setting: Setting) throws(Setting.Refusal)
    -> PropertyListValue
  {
    let texts = Texts(["de": ["Root": ["Dark": "Dunkel"]]])
    return try setting.value(of: word, texts.translator(into: ["de"]))
  }

  private static let themes = Choices([
    Choice(.string("dark"), "Dark", shortTitle: "D"), Choice(.string("light"), "Light"),
  ])

  // B-2, B-6
  @Test func `a text field with a range takes numbers, whatever its default is`() throws {
    func field(_ range: ClosedRange<Double>) -> Specifier.Kind {
      var field = TextField()
      field.range = range
      return .text(field)
    }
    let whole = try setting(field(1...10))
    #expect(try value(of: "7", whole) == .integer(7))
    for word in ["abc", "11", "1.5"] {
      #expect(throws: Setting.Refusal.self, "\(word)") { try value(of: word, whole) }
    }
    let real = try setting(field(0.5...Double.infinity), .string("x"))
    #expect(try value(of: "7.5", real) == .real(7.5))
    #expect(throws: Setting.Refusal.self) { try value(of: "0.25", real) }
  }

  @Test func `a word has the type that the setting describes`() throws {
    let toggle = try setting(.toggle(on: .boolean(true), off: .boolean(false)))
    for word in ["on", "YES", "true", "1"] {
      #expect(try value(of: word, toggle) == .boolean(true))
    }
    for word in ["off", "no", "FALSE", "0"] {
      #expect(try value(of: word, toggle) == .boolean(false))
    }
    let words = try setting(.toggle(on: .string("ja"), off: .string("nein")))
    #expect(try value(of: "ja", words) == .string("ja"))
    #expect(try value(of: "off", words) == .string("nein"))
    let size = try setting(.slider(Slider(6, 72)), .integer(12))
    #expect(try value(of: "14", size) == .integer(14))
    let opacity = try setting(.slider(Slider(0, 1)), .real(1))
    #expect(try value(of: "0.5", opacity) == .real(0.5))
    #expect(try value(of: "1", opacity) == .real(1))
    #expect(try value(of: "12", try setting(.text(TextField()))) == .string("12"))
    #expect(try value(of: "12", try setting(.text(TextField()), .integer(1))) == .integer(12))
  }

  @Test func `a choice is named by its value, its title or the translation of that`() throws {
    let menu = try setting(.menu(Self.themes), .string("dark"))
    for word in ["dark", "Dark", "DARK", "dunkel", "d"] {
      #expect(try value(of: word, menu) == .string("dark"))
    }
    // A value comes before a title that looks like it.
    let numbers = Choices([Choice(.integer(1), "2"), Choice(.integer(2), "1")])
    #expect(try value(of: "2", try setting(.radio(numbers, footer: nil))) == .integer(2))
  }

  @Test func `what a setting does not take is refused with what it takes`() throws {
    func refusal(of word: String, _ setting: Setting) throws -> String {
      try #require(throws: Setting.Refusal.self) { try value(of: word, setting) }.text
    }
    let size = try setting(.slider(Slider(6, 72)), .integer(12))
    #expect(try refusal(of: "99", size) == "99 is outside 6…72")
    #expect(try refusal(of: "12.5", size) == "\"12.5\" is not a whole number in 6…72")
    #expect(
      try refusal(of: "blue", try setting(.menu(Self.themes)))
        == "\"blue\" is none of its choices: dark (Dunkel), light")
    var field = TextField()
    field.range = 1...10
    #expect(try refusal(of: "11", try setting(.text(field), .integer(1))) == "11 is outside 1…10")
    #expect(
      try refusal(of: "x", try setting(.text(field), .real(1.5)))
        == "\"x\" is not a number in 1…10")
    let toggle = try setting(.toggle(on: .boolean(true), off: .boolean(false)))
    #expect(try refusal(of: "maybe", toggle) == "\"maybe\" is not on or off")
    #expect(try refusal(of: "x", try setting(.title([]))) == "this setting is only shown")
  }

  @Test(arguments: [
    (PropertyListValue.integer(6), true), (.integer(5), false), (.real(7), false),
    (.string("7"), false), (.boolean(true), false),
  ])
  func `values are checked as words are`(value: PropertyListValue, isTaken: Bool) throws {
    let size = try setting(.slider(Slider(6, 72)), .integer(12))
    if isTaken {
      try size.check(value)
    } else {
      #expect(throws: Setting.Refusal.self) { try size.check(value) }
    }
  }

  @Test func `of two settings with one key the first is shown, in the group that it is in`() throws
  {
    let pane = Pane(
      "Root",
      [
        Specifier(.text(TextField()), title: "A", key: "a"),
        Specifier(.group(footer: nil), title: "G"),
        Specifier(.text(TextField()), title: "B", key: "b"),
        Specifier(.text(TextField()), title: "C", key: "a"),
      ])
    let settings = SettingsBundle(panes: [pane]).settings
    #expect(settings.map(\.key) == ["a", "b"])
    #expect(settings.map(\.group) == [nil, "G"])
  }
}
