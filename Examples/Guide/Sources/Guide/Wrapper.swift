import Strata

/// What a property list can hold.
protocol Storable {}
extension Data: Storable {}
extension String: Storable {}
extension Date: Storable {}
extension Bool: Storable {}
extension Int: Storable {}
extension Double: Storable {}
extension Float: Storable {}
extension Array: Storable where Element: Storable {}
extension Dictionary: Storable where Key == String, Value: Storable {}

/// The name of a setting, declared once.
struct Key: RawRepresentable, ExpressibleByStringLiteral {
  let rawValue: String

  init(rawValue: String) { self.rawValue = rawValue }
  init(stringLiteral text: String) { rawValue = text }
}

extension Key {
  static let isFirstLaunch: Key = "isFirstLaunch"
}

/// A property that is a setting.
@propertyWrapper
struct UserDefault<Value: Storable> {
  let key: Key

  var wrappedValue: Value? {
    get { UserDefaults.standard.value(forKey: key.rawValue) as? Value }
    set { UserDefaults.standard.set(newValue, forKey: key.rawValue) }
  }
}

/// All settings of the program.
struct Storage {
  @UserDefault<Bool>(key: .isFirstLaunch) var isFirstLaunch
}
