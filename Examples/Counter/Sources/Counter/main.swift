import Foundation
import StrataPropertyList
import StrataStorage

// Counts its own runs. Kill it, edit the file while it is there: the next run goes on from what is
// true then.

let home = ProcessInfo.processInfo.environment["HOME"] ?? "/tmp"
let directory = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? home + "/.config"
let store = Store.open(
  StorePaths(identifier: "dev.strata.counter", in: directory + "/defaults"))

let count = (store.integer(forKey: "Runs") ?? 0) + 1
try store.set(.integer(count), forKey: "Runs")
print("run \(count), kept in \(store.paths.plist)")
for issue in store.issues { print(issue) }
