public import StrataPropertyList

/// The values of all keys, those of each domain as of one moment.
extension UserDefaultsTypes {
  /// The values of all keys, those of each domain as of one moment: see
  /// ``UserDefaults/snapshot()``.
  @dynamicMemberLookup
  public struct Snapshot: Sendable, Hashable {
    /// The first value of each key in the search list.
    public let values: [String: PropertyListValue]
    /// Of the object that it was made by.
    private let mismatches: MismatchReports

    init(_ values: [String: PropertyListValue], reportingTo mismatches: MismatchReports) {
      self.values = values
      self.mismatches = mismatches
    }

    /// The value of a key. One that the key can't read is reported as by the object.
    public subscript<Value>(key: Key<Value>) -> Value {
      guard let stored = values[key.name] else { return key.defaultValue }
      if let value = key.value(of: stored) { return value }
      mismatches.report(Mismatch(key, stored, Value.self))
      return key.defaultValue
    }

    /// The value of a key that is declared in ``UserDefaultsTypes/Keys``.
    public subscript<Value>(dynamicMember key: KeyPath<Keys.Type, Key<Value>>) -> Value {
      self[Keys.self[keyPath: key]]
    }

    /// The value of a key without a type.
    public subscript(name: String) -> PropertyListValue? { values[name] }

    /// Whether two have the same values.
    public static func == (one: Snapshot, other: Snapshot) -> Bool { one.values == other.values }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
  }
}
