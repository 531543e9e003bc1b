import Observation
import StrataAppStorage

/// The settings that one pane shows, as a model for whatever draws it.
@MainActor @Observable
final class EditingPrefs {
  @ObservationIgnored @AppStorage("ShowLineNumbers") var showLineNumbers = false
  @ObservationIgnored @AppStorage("TabWidth") var tabWidth = 4

  /// What a view would draw.
  var body: String { "Show line numbers: \(showLineNumbers ? "on" : "off"), tab width \(tabWidth)" }
}

/// What a framework's switch is: it knows a binding, and nothing of settings.
@MainActor
struct Toggle {
  let isOn: StoredBinding<Bool>

  func click() { isOn.wrappedValue.toggle() }
}
