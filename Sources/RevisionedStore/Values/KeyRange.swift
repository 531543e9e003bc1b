/// One key of a revisioned store, or all keys with a prefix.
public enum KeyRange: Hashable, Sendable {
  /// One key.
  case key(String)
  /// All keys that begin with this text, which is not empty.
  case prefix(String)

  /// Whether a key is in the range.
  public func contains(_ key: String) -> Bool {
    switch self {
    case .key(let own): own.utf8.elementsEqual(key.utf8)
    case .prefix(let prefix): key.utf8.starts(with: prefix.utf8)
    }
  }
}
