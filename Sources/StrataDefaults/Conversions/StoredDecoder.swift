import StrataPropertyList

/// Decodes from what is stored: no bytes in between.
struct StoredDecoder: Decoder, SingleValueDecodingContainer {
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private let stored: PropertyListValue

  init(_ stored: PropertyListValue, at path: [any CodingKey]) {
    self.stored = stored
    codingPath = path
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, from stored: PropertyListValue
  ) throws -> Value {
    try Value(from: StoredDecoder(stored, at: []))
  }

  /// Any value inside of one that is decoded.
  static func value<Value: Decodable>(
    _ type: Value.Type, _ stored: PropertyListValue, at path: [any CodingKey]
  ) throws -> Value {
    guard let storable = type as? any StorableValue.Type else {
      return try Value(from: StoredDecoder(stored, at: path))
    }
    guard let value = read(storable, stored) as? Value else {
      throw DecodingError.typeMismatch(
        type, .init(codingPath: path, debugDescription: "the stored value is none"))
    }
    return value
  }

  private static func read<Value: StorableValue>(
    _ type: Value.Type, _ stored: PropertyListValue
  ) -> Any? {
    StoredNil.value(stored, as: type)
  }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let items) = stored else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(StoredKeyedDecoding(items, at: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = stored else { throw mismatch([Any].self) }
    return StoredUnkeyedDecoding(items, at: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { stored == StoredNil.value }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Self.value(type, stored, at: codingPath)
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "it is none"))
  }
}

struct StoredKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let items: [String: PropertyListValue]
  let codingPath: [any CodingKey]

  init(_ items: [String: PropertyListValue], at path: [any CodingKey]) {
    self.items = items
    codingPath = path
  }

  var allKeys: [Key] { items.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { items[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    try item(key.stringValue) == StoredNil.value
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try StoredDecoder.value(type, item(key.stringValue), at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key.stringValue).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder("super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key.stringValue) }

  private func decoder(_ name: String) throws -> StoredDecoder {
    StoredDecoder(try item(name), at: codingPath)
  }

  private func item(_ name: String) throws -> PropertyListValue {
    guard let item = items[name] else {
      throw DecodingError.valueNotFound(
        PropertyListValue.self,
        .init(codingPath: codingPath, debugDescription: "there is no \(name)"))
    }
    return item
  }
}

struct StoredUnkeyedDecoding: UnkeyedDecodingContainer {
  private let items: [PropertyListValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(_ items: [PropertyListValue], at path: [any CodingKey]) {
    self.items = items
    codingPath = path
  }

  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex == items.count }

  mutating func decodeNil() throws -> Bool {
    guard try item() == StoredNil.value else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try StoredDecoder.value(type, item(), at: codingPath)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> StoredDecoder {
    let decoder = StoredDecoder(try item(), at: codingPath)
    currentIndex += 1
    return decoder
  }

  private func item() throws -> PropertyListValue {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        PropertyListValue.self,
        .init(codingPath: codingPath, debugDescription: "there are \(items.count) elements"))
    }
    return items[currentIndex]
  }
}
