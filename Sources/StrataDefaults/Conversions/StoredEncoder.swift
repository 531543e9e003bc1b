import StrataPropertyList

/// Encodes straight to what is stored: no bytes in between.
///
/// A member that is a `StorableValue` itself is stored as it would be under a key.
final class StoredEncoder: Encoder {
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  private(set) var node: Node?

  /// What is being built; containers grow after they were handed out.
  final class Node {
    enum Content {
      case value(PropertyListValue)
      case array([Node])
      case dictionary([String: Node])
    }
    var content: Content

    init(_ content: Content) { self.content = content }

    var count: Int {
      switch content {
      case .value: 1
      case .array(let nodes): nodes.count
      case .dictionary(let nodes): nodes.count
      }
    }

    var isEmpty: Bool { count == 0 }

    func append(_ node: Node) {
      guard case .array(var nodes) = content else { return }
      content = .array([])  // so that the array has one owner, and grows in place
      nodes.append(node)
      content = .array(nodes)
    }

    func put(_ node: Node, _ name: String) {
      guard case .dictionary(var nodes) = content else { return }
      content = .array([])
      nodes[name] = node
      content = .dictionary(nodes)
    }

    /// The container under a name: several of one kind are one.
    func container(_ name: String, _ empty: Content) -> Node {
      if case .dictionary(let nodes) = content, let known = nodes[name] {
        switch (known.content, empty) {
        case (.array, .array), (.dictionary, .dictionary): return known
        default: break
        }
      }
      let made = Node(empty)
      put(made, name)
      return made
    }

    var value: PropertyListValue {
      switch content {
      case .value(let value): value
      case .array(let nodes): .array(nodes.map(\.value))
      case .dictionary(let nodes): .dictionary(nodes.mapValues(\.value))
      }
    }
  }

  /// - Parameter node: where what is encoded goes, if that is decided.
  init(at path: [any CodingKey] = [], growing node: Node? = nil) {
    codingPath = path
    self.node = node
  }

  static func encode(_ value: some Encodable) throws -> PropertyListValue {
    let encoder = StoredEncoder()
    try value.encode(to: encoder)
    // A type that encodes nothing has nothing in it.
    return encoder.node?.value ?? .dictionary([:])
  }

  /// The node of any value inside of one that is encoded.
  @inline(never)
  static func node(
    _ value: any Encodable, at path: @autoclosure () -> [any CodingKey]
  ) throws -> Node {
    if let storable = value as? any StorableValue {
      return Node(.value(StoredNil.optional(try StoredNil.something(storable))))
    }
    let encoder = StoredEncoder(at: path())
    try value.encode(to: encoder)
    return encoder.node ?? Node(.dictionary([:]))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(StoredKeyedEncoding(into: begin(.dictionary([:])), at: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    StoredUnkeyedEncoding(into: begin(.array([])), at: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Several containers of one kind are one.
  private func begin(_ empty: Node.Content) -> Node {
    if let node {
      if node.isEmpty { node.content = empty }
      return node
    }
    let made = Node(empty)
    node = made
    return made
  }
}

extension StoredEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { put(.value(StoredNil.value)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    put(try Self.node(value, at: codingPath).content)
  }

  private func put(_ content: Node.Content) { begin(content).content = content }
}

struct StoredKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let node: StoredEncoder.Node
  let codingPath: [any CodingKey]

  init(into node: StoredEncoder.Node, at path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  private func put(_ child: StoredEncoder.Node, _ name: String) {
    node.put(child, name)
  }

  mutating func encodeNil(forKey key: Key) throws {
    put(StoredEncoder.Node(.value(StoredNil.value)), key.stringValue)
  }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    put(try StoredEncoder.node(value, at: codingPath + [key]), key.stringValue)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let child = node.container(key.stringValue, .dictionary([:]))
    return KeyedEncodingContainer(StoredKeyedEncoding<Nested>(into: child, at: codingPath + [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let child = node.container(key.stringValue, .array([]))
    return StoredUnkeyedEncoding(into: child, at: codingPath + [key])
  }

  mutating func superEncoder() -> any Encoder { superEncoder(at: StoredKey.parent) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder(at: key) }

  private func superEncoder(at key: any CodingKey) -> any Encoder {
    let child = StoredEncoder.Node(.dictionary([:]))
    put(child, key.stringValue)
    return StoredEncoder(at: codingPath + [key], growing: child)
  }
}

struct StoredUnkeyedEncoding: UnkeyedEncodingContainer {
  private let node: StoredEncoder.Node
  let codingPath: [any CodingKey]

  init(into node: StoredEncoder.Node, at path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  var count: Int { node.count }

  private var currentPath: [any CodingKey] { codingPath + [StoredKey(intValue: count)] }

  private func put(_ child: StoredEncoder.Node) { node.append(child) }

  mutating func encodeNil() throws { put(StoredEncoder.Node(.value(StoredNil.value))) }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    put(try StoredEncoder.node(value, at: currentPath))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    let (child, path) = (StoredEncoder.Node(.dictionary([:])), currentPath)
    put(child)
    return KeyedEncodingContainer(StoredKeyedEncoding<Nested>(into: child, at: path))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let (child, path) = (StoredEncoder.Node(.array([])), currentPath)
    put(child)
    return StoredUnkeyedEncoding(into: child, at: path)
  }

  mutating func superEncoder() -> any Encoder {
    let (child, path) = (StoredEncoder.Node(.dictionary([:])), currentPath)
    put(child)
    return StoredEncoder(at: path, growing: child)
  }
}
