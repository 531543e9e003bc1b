/// Detects the encoding of a text by its first bytes, and converts it to valid UTF-8.
enum TextEncoding {
  /// The text as valid UTF-8 without a byte order mark.
  static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return try checked(Array(bytes.dropFirst(3))) }
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
      return try utf32(bytes.dropFirst(4), [0, 1, 2, 3])
    }
    if bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      return try utf32(bytes.dropFirst(4), [3, 2, 1, 0])
    }
    if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes.dropFirst(2), [0, 1]) }
    if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes.dropFirst(2), [1, 0]) }
    let zeros = bytes.prefix(4).map { $0 == 0 }
    if zeros == [false, true, true, true] { return try utf32(bytes[...], [0, 1, 2, 3]) }
    if zeros == [true, true, true, false] { return try utf32(bytes[...], [3, 2, 1, 0]) }
    if zeros.starts(with: [false, true]) { return try utf16(bytes[...], [0, 1]) }
    if zeros.starts(with: [true, false]) { return try utf16(bytes[...], [1, 0]) }
    return try checked(bytes)
  }

  /// Converts ISO 8859-1, in which each byte is a character, to UTF-8.
  static func utf8(latin1 bytes: [UInt8]) -> [UInt8] {
    Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
  }

  private static func checked(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
    if String(validating: bytes, as: UTF8.self) != nil { return bytes }
    throw .at(
      validPrefix(bytes), .invalidText, "the text is not valid UTF-8; save it as UTF-8")
  }

  private static func validPrefix(_ bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var length = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      length += UTF8.width(scalar)
    }
    return length
  }

  /// `order` gives the positions of a unit's bytes, least significant first.
  private static func utf16(
    _ bytes: ArraySlice<UInt8>, _ order: [Int]
  ) throws(PropertyListError) -> [UInt8] {
    let units = units(bytes, order).map { UInt16(truncatingIfNeeded: $0) }
    guard bytes.count % 2 == 0, let text = String(validating: units, as: UTF16.self) else {
      throw .at(bytes.startIndex, .invalidText, "the text is not valid UTF-16; save it as UTF-8")
    }
    return Array(text.utf8)
  }

  private static func utf32(
    _ bytes: ArraySlice<UInt8>, _ order: [Int]
  ) throws(PropertyListError) -> [UInt8] {
    let scalars = units(bytes, order).compactMap { Unicode.Scalar($0) }
    guard bytes.count % 4 == 0, scalars.count == bytes.count / 4 else {
      throw .at(bytes.startIndex, .invalidText, "the text is not valid UTF-32; save it as UTF-8")
    }
    return Array(String(String.UnicodeScalarView(scalars)).utf8)
  }

  private static func units(_ bytes: ArraySlice<UInt8>, _ order: [Int]) -> [UInt32] {
    stride(from: bytes.startIndex, through: bytes.endIndex - order.count, by: order.count).map {
      start in
      order.reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
    }
  }
}
