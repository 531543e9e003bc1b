import Strata

// What swift-configuration declares, as far as the adapter needs it.
protocol ConfigProvider: Sendable {
  var providerName: String { get }
  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult
}

struct AbsoluteConfigKey: Sendable { var components: [String] }

enum ConfigType: Sendable { case string, int, double, bool }

enum ConfigContent: Sendable {
  case string(String)
  case int(Int)
  case double(Double)
  case bool(Bool)
}

struct ConfigValue: Sendable {
  var content: ConfigContent
  init(_ content: ConfigContent) { self.content = content }
}

struct LookupResult: Sendable {
  var encodedKey: String
  var value: ConfigValue?
}

struct DefaultsProvider: ConfigProvider {
  let reader: SettingsReader

  var providerName: String { reader.name }

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    let path = key.components.joined(separator: ".")
    return LookupResult(
      encodedKey: path, value: content(reader.value(at: path), type).map { ConfigValue($0) })
  }

  func watch(_ key: AbsoluteConfigKey) -> UserDefaults.Values<PropertyListValue?> {
    reader.watch(key.components.joined(separator: "."))
  }

  private func content(_ value: PropertyListValue?, _ type: ConfigType) -> ConfigContent? {
    guard let value else { return nil }
    return switch type {
    case .string: String(stored: value).map { .string($0) }
    case .int: Int(stored: value).map { .int($0) }
    case .double: Double(stored: value).map { .double($0) }
    case .bool: Bool(stored: value).map { .bool($0) }
    }
  }
}

func readEnvironment() {
  UserDefaults.environmentPrefix = "MYAPP_"
}
