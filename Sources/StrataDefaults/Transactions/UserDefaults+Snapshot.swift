public import StrataPropertyList

/// The values of all keys, those of each domain as of one moment.
extension UserDefaultsTypes {
  /// The values of all keys, those of each domain as of one moment: see
  /// ``UserDefaults/snapshot()``.
  @dynamicMemberLookup
  public struct Snapshot: Sendable, Hashable {
    /// The first value of each key in the search list.
    public let values: [String: PropertyListValue]

    init(_ values: [String: PropertyListValue]) { self.values = values }

    /// The value of a key.
    public subscript<Value>(key: Key<Value>) -> Value {
      values[key.name].flatMap(key.value(of:)) ?? key.defaultValue
    }

    /// The value of a key that is declared in ``UserDefaultsTypes/Keys``.
    public subscript<Value>(dynamicMember key: KeyPath<Keys.Type, Key<Value>>) -> Value {
      self[Keys.self[keyPath: key]]
    }

    /// The value of a key without a type.
    public subscript(name: String) -> PropertyListValue? { values[name] }
  }
}
