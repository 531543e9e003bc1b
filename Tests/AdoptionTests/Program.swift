// Code as it was written for Foundation.
import Foundation

struct Preferences {
  private let defaults: UserDefaults

  init(defaults: UserDefaults = .standard) { self.defaults = defaults }

  var showsLineNumbers: Bool {
    get { defaults.bool(forKey: "ShowLineNumbers") }
    nonmutating set { defaults.set(newValue, forKey: "ShowLineNumbers") }
  }

  static func register(in defaults: UserDefaults) {
    defaults.register(defaults: ["ShowLineNumbers": true, "TabWidth": 4])
  }
}

func nameOfModule() -> String { String(reflecting: UserDefaults.self) }
