import Foundation
import Strata
import StrataSettings

// Installs its Settings bundle where the page and the command find it, and prints each change:
//
//     swift run Editor
//     defaults settings open Editor      (in another terminal)

try settings.install()
settings.register()
if CommandLine.arguments.contains("--install") { exit(0) }

/// Not kept back where the output is a pipe, as `print` would.
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let defaults = UserDefaults.standard
let tokens = [
  defaults.observe(.fontSize) { say("size: \($0) → \($1)") },
  defaults.observe(.ligatures) { say("ligatures: \($0) → \($1)") },
  defaults.observe(.theme) { say("theme: \($0) → \($1)") },
  defaults.observe(.tabWidth) { say("tab width: \($0) → \($1)") },
  defaults.observe(.author) { say("author: \($0) → \($1)") },
]
say("size \(defaults.fontSize), theme \(defaults.theme.rawValue); change them")
withExtendedLifetime(tokens) { dispatchMain() }
