import Foundation
import StrataPropertyList
import StrataStorage

// Counts its own runs. Start several at once, kill one, edit the file: every run that printed its
// number is counted.

let home = ProcessInfo.processInfo.environment["HOME"] ?? "/tmp"
let directory = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? home + "/.config"
let store = Store.open(
  StorePaths(identifier: "dev.strata.counter", in: directory + "/defaults"))

let count = (store.integer(forKey: "Runs") ?? 0) + 1
try store.set(.integer(count), forKey: "Runs")
print("run \(count), kept in \(store.paths.plist)")
for issue in store.issues { print(issue) }
