import Observation
import Strata

func observe(_ defaults: UserDefaults) -> UserDefaults.KeyObservation {
  let observation = defaults.observe(.theme) { old, new in
    print("from \(old) to \(new)")
  }
  return observation
}

func follow(_ defaults: UserDefaults) async {
  for await (theme, size) in defaults.values(for: .theme, .fontSize) {
    print(theme, size)
  }
}

@MainActor @Observable
final class Model {
  @ObservationIgnored @Default(.theme) var theme
  var isDark: Bool { theme == .dark }
}

@MainActor func follow(_ model: Model) async {
  for await isDark in Observations({ model.isDark }) {
    print(isDark ? "dark" : "light")
  }
}
