import Strata

func countLaunch() { UserDefaults.standard.update(.launches) { $0 += 1 } }

func testThatDarkIsDark() {
  let defaults = UserDefaults.inMemory(["Theme": "dark"], arguments: ["-FontSize", "20"])
  assert(defaults.theme == .dark && defaults.fontSize == 20)
}

func testThatLaunchesAreCounted() {
  withTemporaryDefaults {
    countLaunch()
    assert(UserDefaults.standard.launches == 1)
  }
}

func testWhatIsSet() {
  let defaults = UserDefaults.inMemory()
  let changes = defaults.recordChanges {
    defaults.theme = .dark
    defaults.reset(.fontSize)
  }
  assert(changes == [.set("Theme", "dark"), .remove("FontSize")])
}

func describe(_ defaults: UserDefaults) -> String {
  guard let origin = defaults.origin(of: .theme) else { return "the default" }
  if origin.isForced { return "set by your administrator" }
  return origin.path ?? "\(origin.place)"
}
