import Strata

// What the documents of `UserDefaults` teach, one chapter after the other.

try registerFromFile()
getAndSet()
searchDomains()
shareSuite()

var storage = Storage()
print("first launch:", storage.isFirstLaunch ?? true)
storage.isFirstLaunch = false

for issue in UserDefaults.storageIssues { print(issue) }
