import Foundation

/// Values by paths, and several at once, as with Apple's key-value coding.
extension UserDefaults {
  func object(at path: DottedPath) -> Any? {
    path.find({ value(forKey: $0) }) { value, name in (value as? [String: Any])?[name] }
  }

  func setEach(_ values: [String: Any]) {
    for (key, value) in values { setValue(value is NSNull ? nil : value, forKey: key) }
  }
}
