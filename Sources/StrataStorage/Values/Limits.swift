import StrataPropertyList

/// What a domain accepts, and how it refuses the rest.
package enum Limits {
  /// The maximum size of a key, in bytes of UTF-8.
  static let keySizeMax = 1 << 16
  /// The maximum nesting of containers in a value: with the domain's own dictionary, these are the
  /// 512 levels that every property list format may have.
  package static let depthMax = 511
  /// The maximum size in bytes of a file that is read as a property list.
  package static let fileSizeMax = 512 << 20

  /// Why a domain can't hold this key with this value; nil if it can.
  static func refusal(key: String, value: PropertyListValue?) -> String? {
    if let reason = refusal(key: key) { return reason }
    guard let value, !isFlat(value), depth(of: value, limit: depthMax) > depthMax else {
      return nil
    }
    return "the value has more than \(depthMax) levels of arrays and dictionaries"
  }

  /// Why a domain can't hold these changes; nil if it can.
  package static func refusal(of changes: ChangeSet) -> StorageError? {
    for change in changes.changes {
      guard let reason = refusal(key: change.key, value: change.value) else { continue }
      return StorageError(.set, change.key, reason: reason)
    }
    return nil
  }

  /// Why no value can have this key; nil if one can.
  package static func refusal(key: String) -> String? {
    var key = key
    let (size, hasNul) = key.withUTF8 { ($0.count, $0.contains(0)) }
    if size > keySizeMax { return "a key has at most \(keySizeMax) bytes, this one has \(size)" }
    if hasNul { return "a key cannot contain the NUL character" }
    return nil
  }

  /// Why a file of this size is not read as a property list; nil if it is.
  package static func refusal(fileSize size: Int) -> String? {
    size <= fileSizeMax ? nil : reason(forRefusing: size)
  }

  // Apart, so that a first read needs none of the code that makes the text.
  @inline(never)
  private static func reason(forRefusing size: Int) -> String {
    "it has \(size) bytes, more than the limit of \(fileSizeMax) for a property list; "
      + "move large values to files of their own, or replace the file"
  }

  static func isFlat(_ value: PropertyListValue) -> Bool {
    switch value {
    case .array, .dictionary: false
    default: true
    }
  }

  @inline(never)
  private static func depth(of value: PropertyListValue, limit: Int) -> Int {
    guard limit >= 0 else { return 1 }
    var deepest = 0
    switch value {
    case .array(let items):
      for item in items { deepest = max(deepest, depth(of: item, limit: limit - 1)) }
    case .dictionary(let items):
      for item in items.values { deepest = max(deepest, depth(of: item, limit: limit - 1)) }
    default:
      return 0
    }
    return 1 + deepest
  }
}
