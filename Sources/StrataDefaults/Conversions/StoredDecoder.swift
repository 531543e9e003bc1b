import StrataPropertyList

/// Decodes from what is stored: no bytes in between.
///
/// Errors are of the kinds, and at the paths, of Foundation's property lists: types have handlers.
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
    try StoredFailures.collect(of: stored) { try Value(from: StoredDecoder(stored, at: [])) }
  }

  /// Any value inside of one that is decoded: its type is not known here, since the containers
  /// below have a method for each of the standard library's types. Nil for what can't be read:
  /// not to be cast to an optional type, of which that would be a value.
  @inline(never)
  static func value(
    _ type: any Decodable.Type, _ stored: PropertyListValue, at path: () -> [any CodingKey]
  ) throws -> Any? {
    guard let storable = type as? any StorableValue.Type else {
      return try type.init(from: StoredDecoder(stored, at: path()))
    }
    return read(storable, stored)
  }

  private static func read<Value: StorableValue>(
    _ type: Value.Type, _ stored: PropertyListValue
  ) -> Any? {
    StoredNil.member(stored, as: type)
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
    guard let found = try Self.value(type, stored, at: { codingPath }), let value = found as? Value
    else { throw mismatch(type) }
    return value
  }

  @inline(never)
  private func mismatch(_ type: Any.Type) -> any Error {
    StoredFailures.error(of: stored, as: type, at: codingPath)
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

  func decodeNil(forKey key: Key) throws -> Bool { try item(key) == StoredNil.value }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let found = try value(type, key), let value = found as? Value else {
      throw try mismatch(type, key)
    }
    return value
  }

  @inline(never)
  private func value(_ type: any Decodable.Type, _ key: Key) throws -> Any? {
    try StoredDecoder.value(type, item(key), at: { codingPath + [key] })
  }

  @inline(never)
  private func mismatch(_ type: Any.Type, _ key: Key) throws -> any Error {
    StoredFailures.error(of: try item(key), as: type, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try StoredDecoder(item(key), at: codingPath + [key]).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try StoredDecoder(item(key), at: codingPath + [key]).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { superDecoder(at: StoredKey.parent) }

  func superDecoder(forKey key: Key) -> any Decoder { superDecoder(at: key) }

  /// A superclass may have encoded nothing.
  private func superDecoder(at key: any CodingKey) -> StoredDecoder {
    StoredDecoder(items[key.stringValue] ?? StoredNil.value, at: codingPath + [key])
  }

  private func item(_ key: Key) throws -> PropertyListValue {
    guard let item = items[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "no value is stored for it"))
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
    guard try item(Never.self) == StoredNil.value else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let found = try value(type), let value = found as? Value else {
      throw try mismatch(type)
    }
    currentIndex += 1
    return value
  }

  @inline(never)
  private func value(_ type: any Decodable.Type) throws -> Any? {
    try StoredDecoder.value(type, item(type), at: { currentPath })
  }

  @inline(never)
  private func mismatch(_ type: Any.Type) throws -> any Error {
    StoredFailures.error(of: try item(type), as: type, at: currentPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try decoder().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try decoder().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try decoder()
    currentIndex += 1
    return decoder
  }

  private var currentPath: [any CodingKey] { codingPath + [StoredKey(intValue: currentIndex)] }

  private func decoder() throws -> StoredDecoder {
    StoredDecoder(try item((any Decoder).self), at: currentPath)
  }

  @inline(never)
  private func item(_ type: Any.Type) throws -> PropertyListValue {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: currentPath, debugDescription: "there are \(items.count) elements"))
    }
    return items[currentIndex]
  }
}
