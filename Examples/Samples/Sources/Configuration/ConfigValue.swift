// Keys and values as swift-configuration declares them.

public struct AbsoluteConfigKey: Sendable, Hashable {
  public var components: [String]
  public var context: [String: ConfigContextValue]

  public init(_ components: [String], context: [String: ConfigContextValue] = [:]) {
    self.components = components
    self.context = context
  }
}

public enum ConfigContextValue: Sendable, Hashable {
  case string(String)
  case bool(Bool)
  case int(Int)
  case double(Double)
}

public struct LookupResult: Sendable, Hashable {
  public var encodedKey: String
  public var value: ConfigValue?

  public init(encodedKey: String, value: ConfigValue?) {
    self.encodedKey = encodedKey
    self.value = value
  }
}

public struct ConfigValue: Sendable, Hashable {
  public var content: ConfigContent
  public var isSecret: Bool

  public init(_ content: ConfigContent, isSecret: Bool) {
    self.content = content
    self.isSecret = isSecret
  }
}

@frozen public enum ConfigType: String, Sendable {
  case string, int, double, bool, bytes
  case stringArray, intArray, doubleArray, boolArray, byteChunkArray
}

@frozen public enum ConfigContent: Sendable, Hashable {
  case string(String)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case bytes([UInt8])
  case stringArray([String])
  case intArray([Int])
  case doubleArray([Double])
  case boolArray([Bool])
  case byteChunkArray([[UInt8]])
}
