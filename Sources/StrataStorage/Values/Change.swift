public import StrataPropertyList

/// One edit of a domain: a key gets a value, or loses the one it had.
public struct Change: Sendable, Hashable {
  /// Which key.
  public let key: String
  /// Nil removes the key.
  public let value: PropertyListValue?

  /// Gives `key` a value, or removes it.
  public init(key: String, value: PropertyListValue?) {
    self.key = key
    self.value = value
  }
}
