// A pane of settings with `@AppStorage`, drawn anew when Swift's Observation says so.

import Observation
import Strata
import StrataAppStorage

let settings = UserDefaults.inMemory()
let prefs = defaultAppStorage(settings) { EditingPrefs() }
let toggle = Toggle(isOn: prefs.$showLineNumbers)

var drawn: [String] = []
for await text in Observations({ prefs.body }) {
  print(text)
  drawn.append(text)
  switch drawn.count {
  case 1: toggle.click()
  case 2: settings.set(8, forKey: "TabWidth")  // by anyone, in any process
  default: break
  }
  if drawn.count == 3 { break }
}
precondition(prefs.showLineNumbers && drawn.last == "Show line numbers: on, tab width 8")
