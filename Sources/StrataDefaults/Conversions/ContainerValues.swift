// Optionals and containers as values of keys.

public import StrataPropertyList

/// The stored form of nil in arrays and dictionaries, which can't leave it out.
///
/// Texts of the same form are stored with one dollar more, so that they differ: `$$null` is the
/// text `$null`. This is done where nil is possible, and nowhere else.
enum StoredNil {
  static let value = PropertyListValue.string("$null")

  /// The stored form of an element or entry, which can be nil if its type is optional.
  static func element<Element: StorableValue>(_ value: Element) throws -> PropertyListValue {
    let stored = try something(value)
    return isLikeNil(stored) && !canBeNil(Element.self) ? stored ?? Self.value : optional(stored)
  }

  /// What is stored for a value; an error if that is nothing, and no nil of its type: what is read
  /// again would be no value of this type.
  static func something(_ value: some StorableValue) throws -> PropertyListValue? {
    let stored = try value.stored()
    if stored != nil || canBeNil(type(of: value)) { return stored }
    throw EncodingError.invalidValue(
      value,
      .init(
        codingPath: [],
        debugDescription: "it stores nothing, which a value in another one can't unless it is nil"))
  }

  static func value<Element: StorableValue>(
    _ stored: PropertyListValue, as type: Element.Type
  ) -> Element? {
    isLikeNil(stored) && !canBeNil(type) ? Element(stored: stored) : member(stored, as: type)
  }

  /// The stored form of a member of an encoded value, which can be nil whatever its type.
  static func optional(_ stored: PropertyListValue?) -> PropertyListValue {
    guard case .string(let text) = stored, isLikeNil(stored) else { return stored ?? value }
    return .string("$" + text)
  }

  static func member<Value: StorableValue>(
    _ stored: PropertyListValue, as type: Value.Type
  ) -> Value? {
    guard case .string(let text) = stored, isLikeNil(stored) else { return Value(stored: stored) }
    if stored != value { return Value(stored: .string(String(text.dropFirst()))) }
    // A type without a nil has a value of this text: it was stored before such texts had a dollar.
    guard let none = type as? any ExpressibleByNilLiteral.Type else { return Value(stored: stored) }
    return none.init(nilLiteral: ()) as? Value
  }

  private static func canBeNil(_ type: Any.Type) -> Bool {
    type is any ExpressibleByNilLiteral.Type
  }

  private static func isLikeNil(_ stored: PropertyListValue?) -> Bool {
    guard case .string(let text) = stored, text.utf8.first == UInt8(ascii: "$") else {
      return false
    }
    return text.utf8.drop { $0 == UInt8(ascii: "$") }.elementsEqual("null".utf8)
  }
}

extension Optional: StorableValue where Wrapped: StorableValue {
  /// Converts with the wrapped type.
  @inlinable
  public init?(stored: PropertyListValue) {
    guard let value = Wrapped(stored: stored) else { return nil }
    self = .some(value)
  }

  /// Nil stores nothing.
  @inlinable
  public func stored() throws -> PropertyListValue? { try self?.stored() }
}

extension Array: StorableValue where Element: StorableValue {
  /// Converts an array, if all of its elements can be converted.
  public init?(stored: PropertyListValue) {
    guard case .array(let items) = stored else { return nil }
    self.init()
    reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      guard let element = StoredNil.value(item, as: Element.self) else {
        let key = StoredKey(intValue: index)
        StoredFailures.record(item, as: Element.self, at: key, of: stored)
        return nil
      }
      append(element)
    }
  }

  /// An array, in which a nil element is the text `$null`, and an optional text `$null` is
  /// `$$null`.
  public func stored() throws -> PropertyListValue? { .array(try map(StoredNil.element)) }
}

extension Set: StorableValue where Element: StorableValue {
  /// Converts an array, if all of its elements can be converted.
  public init?(stored: PropertyListValue) {
    guard let elements = [Element](stored: stored) else { return nil }
    self.init(elements)
  }

  /// An array, in the same order for equal sets of texts or numbers.
  public func stored() throws -> PropertyListValue? {
    .array(try map(StoredNil.element).sorted { "\($0)" < "\($1)" })
  }
}

extension Dictionary: StorableValue
where Key: StorableValue & LosslessStringConvertible, Value: StorableValue {
  /// Converts a dictionary, if all of its entries can be converted. Of several names for one key,
  /// as `1` and `01`, the one that is the key's description counts; without that one, conversion
  /// fails.
  public init?(stored: PropertyListValue) {
    guard case .dictionary(let items) = stored else { return nil }
    self.init(minimumCapacity: items.count)
    var others: [(key: Key, value: Value)] = []
    for (name, item) in items {
      guard let key = Key(name) else { return nil }
      guard let value = StoredNil.value(item, as: Value.self) else {
        let key = StoredKey(stringValue: name)
        StoredFailures.record(item, as: Value.self, at: key, of: stored)
        return nil
      }
      if key.description == name { self[key] = value } else { others.append((key, value)) }
    }
    let known = self
    for (key, value) in others where known[key] == nil {
      if updateValue(value, forKey: key) != nil { return nil }
    }
  }

  /// A dictionary with each key as a text.
  public func stored() throws -> PropertyListValue? {
    var items: [String: PropertyListValue] = [:]
    for (key, value) in self { items[key.description] = try StoredNil.element(value) }
    return .dictionary(items)
  }
}
