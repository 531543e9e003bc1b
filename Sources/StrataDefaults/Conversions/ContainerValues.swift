// Optionals and containers as values of keys.

public import StrataPropertyList

/// What stands for nil where something must stand: in arrays and dictionaries.
enum StoredNil {
  static let value = PropertyListValue.string("$null")

  static func element(_ value: some StorableValue) throws -> PropertyListValue {
    try value.stored() ?? Self.value
  }

  static func value<Element: StorableValue>(
    _ stored: PropertyListValue, as _: Element.Type
  ) -> Element? {
    if stored == value, let none = Element.self as? any ExpressibleByNilLiteral.Type {
      return none.init(nilLiteral: ()) as? Element
    }
    return Element(stored: stored)
  }
}

extension Optional: StorableValue where Wrapped: StorableValue {
  /// What the wrapped type makes of it.
  @inlinable
  public init?(stored: PropertyListValue) {
    guard let value = Wrapped(stored: stored) else { return nil }
    self = .some(value)
  }

  /// Nothing for nil.
  @inlinable
  public func stored() throws -> PropertyListValue? { try self?.stored() }
}

extension Array: StorableValue where Element: StorableValue {
  /// The elements, if all of them can be read.
  public init?(stored: PropertyListValue) {
    guard case .array(let items) = stored else { return nil }
    self.init()
    reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      guard let element = StoredNil.value(item, as: Element.self) else {
        let key = StoredKey(intValue: index)
        StoredFailures.note(item, as: Element.self, at: key, of: stored)
        return nil
      }
      append(element)
    }
  }

  /// An array; where an element is nil, the text `$null`.
  public func stored() throws -> PropertyListValue? { .array(try map(StoredNil.element)) }
}

extension Set: StorableValue where Element: StorableValue {
  /// The elements of an array, if all of them can be read.
  public init?(stored: PropertyListValue) {
    guard let elements = [Element](stored: stored) else { return nil }
    self.init(elements)
  }

  /// An array, in an order that is the same for equal sets of texts or numbers.
  public func stored() throws -> PropertyListValue? {
    .array(try map(StoredNil.element).sorted { "\($0)" < "\($1)" })
  }
}

extension Dictionary: StorableValue
where Key: StorableValue & LosslessStringConvertible, Value: StorableValue {
  /// The entries, if all of them can be read.
  public init?(stored: PropertyListValue) {
    guard case .dictionary(let items) = stored else { return nil }
    self.init(minimumCapacity: items.count)
    for (name, item) in items {
      guard let key = Key(name) else { return nil }
      guard let value = StoredNil.value(item, as: Value.self) else {
        let key = StoredKey(stringValue: name)
        StoredFailures.note(item, as: Value.self, at: key, of: stored)
        return nil
      }
      self[key] = value
    }
  }

  /// A dictionary with each key as a text.
  public func stored() throws -> PropertyListValue? {
    var items: [String: PropertyListValue] = [:]
    for (key, value) in self { items[key.description] = try StoredNil.element(value) }
    return .dictionary(items)
  }
}
