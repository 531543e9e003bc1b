import RevisionedStore

/// Reads the fields of a message that a server sent, none of which is trusted.
struct ProtobufReader {
  enum Value {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Calls `body` with each field's number and value.
  static func read(
    _ bytes: ArraySlice<UInt8>, _ body: (Int, Value) throws(StoreError) -> Void
  ) throws(StoreError) {
    var reader = ProtobufReader(bytes)
    while let (field, value) = try reader.next() { try body(field, value) }
  }

  private mutating func next() throws(StoreError) -> (field: Int, value: Value)? {
    if position == bytes.endIndex { return nil }
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
    guard count <= UInt64(bytes.endIndex - position) else { throw Self.malformed }
    let start = position
    position += Int(count)
    return bytes[start..<position]
  }

  private mutating func varint() throws(StoreError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      guard position < bytes.endIndex else { throw Self.malformed }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw Self.malformed
  }

  /// What takes a few bytes in a message takes ten times as many when it is decoded.
  ///
  /// - Parameter count: how many parts of a message have been decoded already.
  static func checkRoom(_ count: Int) throws(StoreError) {
    guard count < 1 << 18 else {
      throw .invalidAnswer("a message has more than \(count) values or changes")
    }
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
  /// What is longer than any name, reason or token is cut off.
  var text: String { String(decoding: bytes.prefix(1 << 16), as: UTF8.self) }
}
