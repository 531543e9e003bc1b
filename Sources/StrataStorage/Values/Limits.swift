import StrataPropertyList

/// What a domain takes, and how it says no.
package enum Limits {
  /// UTF-8 bytes in a key.
  static let keySizeMax = 1 << 16
  /// Containers inside containers: with the dictionary of the domain itself, the 512 levels that
  /// every property-list format may have.
  package static let depthMax = 511

  /// The reason why a domain can't hold this key with this value; nil when it can.
  static func refusal(key: String, value: PropertyListValue?) -> String? {
    if let reason = refusal(key: key) { return reason }
    guard let value, !isFlat(value), depth(of: value, limit: depthMax) > depthMax else {
      return nil
    }
    return "the value has more than \(depthMax) levels of arrays and dictionaries"
  }

  /// What keeps a domain from holding these; nil when it can.
  static func refusal(of changes: ChangeSet) -> StorageError? {
    for change in changes.changes {
      guard let reason = refusal(key: change.key, value: change.value) else { continue }
      return StorageError(.set, change.key, reason: reason)
    }
    return nil
  }

  /// The reason why no value can have this key; nil when one can.
  package static func refusal(key: String) -> String? {
    var key = key
    let (size, hasNul) = key.withUTF8 { ($0.count, $0.contains(0)) }
    if size > keySizeMax { return "a key has at most \(keySizeMax) bytes, this one has \(size)" }
    if hasNul { return "a key cannot contain the NUL character" }
    return nil
  }

  static func isFlat(_ value: PropertyListValue) -> Bool {
    switch value {
    case .array, .dictionary: false
    default: true
    }
  }

  private static func depth(of value: PropertyListValue, limit: Int) -> Int {
    guard limit >= 0 else { return 1 }
    switch value {
    case .array(let items):
      return 1 + (items.lazy.map { depth(of: $0, limit: limit - 1) }.max() ?? 0)
    case .dictionary(let items):
      return 1 + (items.values.lazy.map { depth(of: $0, limit: limit - 1) }.max() ?? 0)
    default:
      return 0
    }
  }
}
