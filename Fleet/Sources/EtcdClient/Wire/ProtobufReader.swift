import RevisionedStore

/// Reads the fields of a message that a server sent, none of which is trusted.
struct ProtobufReader {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Calls `body` with each field's number and value.
  static func read(
    _ bytes: ArraySlice<UInt8>, _ body: (Int, Value) throws(StoreError) -> Void
  ) throws(StoreError) {
    var reader = ProtobufReader(bytes)
    while let (field, value) = try reader.next() { try body(field, value) }
  }

  private mutating func next() throws(StoreError) -> (field: Int, value: Value)? {
    if rest.isEmpty { return nil }
    let tag = try varint()
    let field = Int(truncatingIfNeeded: tag >> 3)
    guard tag >> 3 != 0, tag >> 3 < 1 << 29 else { throw Self.malformed }
    switch tag & 7 {
    case 0: return (field, .number(try varint()))
    case 1: return (field, .bytes(try take(8)))
    case 2: return (field, .bytes(try take(try varint())))
    case 5: return (field, .bytes(try take(4)))
    default: throw Self.malformed
    }
  }

  private mutating func take(_ count: UInt64) throws(StoreError) -> ArraySlice<UInt8> {
    guard count <= UInt64(rest.count) else { throw Self.malformed }
    let taken = rest.prefix(Int(count))
    rest = rest.dropFirst(Int(count))
    return taken
  }

  private mutating func varint() throws(StoreError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = rest.popFirst() else { throw Self.malformed }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw Self.malformed
  }

  static let malformed = StoreError.invalidAnswer("a message is malformed")
}

extension ProtobufReader.Value {
  var integer: Int64 { if case .number(let number) = self { Int64(bitPattern: number) } else { 0 } }
  /// One to which others can be added; a server that sends another one is not believed.
  var revision: Int64 {
    get throws(StoreError) {
      guard (0..<Int64.max / 2).contains(integer) else {
        throw .invalidAnswer("there is no revision \(integer)")
      }
      return integer
    }
  }
  var isTrue: Bool { integer != 0 }
  var bytes: ArraySlice<UInt8> { if case .bytes(let bytes) = self { bytes } else { [] } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
