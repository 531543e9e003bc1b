import Strata

enum Theme: String, StorableValue { case system, light, dark }

extension UserDefaults.Keys {
  static let theme = Key("Theme", default: Theme.system)
  static let fontSize = Key("FontSize", default: 12, in: 6...72)
  static let nickname = Key<String?>("Nickname")
  static let launches = Key("Launches", default: 0)
}

func useKeys() {
  let defaults = UserDefaults.standard
  defaults.theme = .dark
  defaults[.fontSize] += 1
  print(defaults.nickname ?? "nobody", defaults.theme)
}

struct Editor {
  @Default(.theme) var theme
  @Default(.fontSize) var fontSize

  func reset() {
    $theme.reset()
    $fontSize.reset()
  }
}

struct Layout: Codable, StorableValue {
  var columns = 2
  var panes: [String] = []
}

func changeTogether(_ defaults: UserDefaults) {
  defaults.update(.launches) { $0 += 1 }

  defaults.transaction { draft in
    draft[.theme] = .light
    draft[.fontSize] = 14
  }
}

func migrate() {
  UserDefaults.standard.migrate([
    .rename("ShowLines", to: "ShowLineNumbers"),
    .retype("FontSize", to: Int.self),
    .transform("Theme", from: String.self) { $0.lowercased() },
    .remove("Obsolete"),
  ])
}

func showsLineNumbers() -> Bool {
  let key = UserDefaults.Key("ShowLineNumbers", default: false)
  return UserDefaults.standard[key]  // instead of bool(forKey: "ShowLineNumbers")
}
