import Foundation
import Strata

@propertyWrapper
struct UserDefault<T: PropertyListValue> {
  let key: Key

  var wrappedValue: T? {
    get { UserDefaults.standard.value(forKey: key.rawValue) as? T }
    set { UserDefaults.standard.set(newValue, forKey: key.rawValue) }
  }

  var projectedValue: UserDefault<T> { return self }

  func observe(change: @escaping (T?, T?) -> Void) -> NSObject {
    return DefaultsObservation(key: key) { old, new in
      change(old as? T, new as? T)
    }
  }
}

struct Storage {
  @UserDefault(key: .isFirstLaunch)
  var isFirstLaunch: Bool?
}
