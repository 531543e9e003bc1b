import Strata
import StrataSettings

enum Theme: String, StorableValue, CaseIterable { case system, light, dark }

extension UserDefaults.Keys {
  static let fontSize = Key(
    "FontSize", default: 12, in: 6...72, title: "Size", description: "In points.")
  static let ligatures = Key("Ligatures", default: true, title: "Ligatures")
  static let theme = Key("Theme", default: Theme.system, title: "Theme")
  static let tabWidth = Key("TabWidth", default: 4, choices: [2, 4, 8], title: "Tab width")
  static let author = Key("Author", default: "", title: "Author")
}

/// The editor's settings, described once.
let settings = SettingsPane("Editor") {
  SettingsGroup("Font", footer: "How text looks in all windows.") {
    Slider(.fontSize)
    Toggle(.ligatures)
  }
  SettingsGroup("Appearance") { Picker(.theme) }
  SettingsPane("Text") {
    RadioGroup(.tabWidth, footer: "How many columns a tab takes.") { "\($0) columns" }
    TextField(.author)
  }
}
