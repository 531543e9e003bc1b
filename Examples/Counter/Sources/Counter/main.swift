import Strata

// Counts its own runs. Kill it, edit its file while it is there: the next run goes on from what is
// true then.

let defaults = UserDefaults.standard
let count = defaults.integer(forKey: "Runs") + 1
defaults.set(count, forKey: "Runs")
print("run \(count) of \(UserDefaults.applicationIdentifier)")
for issue in UserDefaults.storageIssues { print(issue) }
