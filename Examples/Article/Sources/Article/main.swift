// The article on `UserDefaults` in Swift, as it was written: wrapper, keys, storage, observer.

import Foundation
import Strata

var storage = Storage()

UserDefaults.standard.removeObject(forKey: "isFirstLaunch")
storage.isFirstLaunch = true
print(storage.isFirstLaunch as Any)

var heard: [Bool?] = []
var observation = storage.$isFirstLaunch.observe { old, new in
  heard += [old, new]
}

storage.isFirstLaunch = false
print(heard)
precondition(storage.isFirstLaunch == false && heard == [true, false])
_ = observation
