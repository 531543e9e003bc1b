// The names that Strata documents, as a program spells them that has none of its own.
import Strata

enum Theme: String, StorableValue { case system, dark }

extension UserDefaults.Keys {
  static let theme = Key("Theme", default: Theme.system)
  static let nickname = Key<String?>("Nickname")
}

extension UserDefaults.Key where Value == Theme {
  var isDarkByDefault: Bool { defaultValue == .dark }
}

/// The types, in type position.
struct OwnNames {
  var key: UserDefaults.Key<Theme> = .theme
  var keys: [UserDefaults.Keys] = [.theme, .nickname]
  var group = UserDefaults.KeyGroup("All", [.theme])
  var steps: [UserDefaults.Migration] = [.rename("a", to: "b")]
  var origin: UserDefaults.Origin?
  var place: UserDefaults.Origin.Place = .own
  var snapshot: UserDefaults.Snapshot
  var observation: UserDefaults.KeyObservation?
  var values: UserDefaults.Values<Theme>
  var changes: [UserDefaults.RecordedChange]
  var model = OwnModel()

  init(_ defaults: UserDefaults) {
    snapshot = defaults.snapshot()
    values = defaults.values(for: .theme)
    observation = defaults.observe(.theme) { _, _ in }
    changes = defaults.recordChanges { defaults.theme = .dark }
    origin = defaults.origin(of: .theme)
  }
}

/// `Strata` exports Observation.
@Observable final class OwnModel { var isShown = false }
