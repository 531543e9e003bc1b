import Strata

/// Values that count as long as nothing else was set, from a file that comes with the program.
func registerFromFile() throws {
  guard let file = Bundle.module.url(forResource: "DefaultPreferences", withExtension: "plist")
  else { return print("DefaultPreferences.plist is missing") }
  try UserDefaults.standard.register(contentsOf: file)
  print("tutorial:", UserDefaults.standard.bool(forKey: "ShowTutorial"))
}

/// Single values, each by the method of its type.
func getAndSet() {
  let defaults = UserDefaults()
  defaults.set(true, forKey: "ShowLineNumbers")
  defaults.set("Hello, World!", forKey: "TitleString")
  defaults.set(URL(string: "https://swift.org"), forKey: "Home")

  let showLineNumbers = defaults.bool(forKey: "ShowLineNumbers")
  let title = defaults.string(forKey: "TitleString") ?? ""
  print("line numbers: \(showLineNumbers), title: \(title)")
  print("home:", defaults.url(forKey: "Home")?.absoluteString ?? "none")
}

/// The same key in several domains: the command line goes before what was set, and that before what
/// was registered. Try `swift run Guide -FontSize 20`.
func searchDomains() {
  let defaults = UserDefaults.standard
  print("font size:", defaults.integer(forKey: "FontSize"))
  for name in defaults.volatileDomainNames {
    print("  \(name):", defaults.volatileDomain(forName: name)["FontSize"] ?? "–")
  }
  print("forced by an administrator:", defaults.objectIsForced(forKey: "FontSize"))
}

/// A suite, which several programs of one author may share.
func shareSuite() {
  guard let shared = UserDefaults(suiteName: "com.example.shared") else { return }
  shared.set("dark", forKey: "Theme")
  UserDefaults.standard.addSuite(named: "com.example.shared")
  print("theme:", UserDefaults.standard.string(forKey: "Theme") ?? "none")
}
