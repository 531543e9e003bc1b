/// Converts data to and from Base64 (RFC 4648).
package enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The bytes that a text stands for; nil if it is not valid.
  package static func bytes(of text: String) -> [UInt8]? {
    let bytes = Array(text.utf8)
    switch bytes.withUnsafeBufferPointer({ data(of: $0) }) {
    case .success(let data): return data
    case .failure: return nil
    }
  }

  package static func text(of data: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((data.count + 2) / 3 * 4)
    for start in stride(from: data.startIndex, to: data.endIndex, by: 3) {
      let group = data[start..<min(start + 3, data.endIndex)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0..<4 {
        let value = Int(bits >> (18 - 6 * UInt32(place)) & 0x3F)
        text.append(place <= group.count ? alphabet[value] : UInt8(ascii: "="))
      }
    }
    return text
  }

  /// Decodes a text, ignoring blanks; fails with the offset of an error.
  ///
  /// Safety: the text is iterated over, never indexed, and lent by the caller for this call.
  static func data(of text: UnsafeBufferPointer<UInt8>) -> Result<[UInt8], Fault> {
    var data: [UInt8] = []
    data.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var count = 0
    var padding = 0
    for (offset, byte) in text.enumerated() where !byte.isBlank {
      if byte == UInt8(ascii: "=") {
        padding += 1
      } else if let value = value(of: byte), padding == 0 {
        bits = bits << 6 | value
        count += 1
        if count % 4 == 0 { append(&data, bits, 3) }
      } else {
        return .failure(Fault(offset: offset))
      }
    }
    guard (count + padding) % 4 == 0, padding <= 2 else {
      return .failure(Fault(offset: text.count))
    }
    if padding > 0 { append(&data, bits << (6 * UInt32(padding)), 3 - padding) }
    return .success(data)
  }

  /// Where a text is not valid Base64.
  struct Fault: Error {
    var offset: Int
  }

  private static func append(_ data: inout [UInt8], _ bits: UInt32, _ count: Int) {
    for place in 0..<count { data.append(UInt8(truncatingIfNeeded: bits >> (16 - 8 * place))) }
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case 0x41...0x5A: UInt32(byte - 0x41)
    case 0x61...0x7A: UInt32(byte - 0x61) + 26
    case 0x30...0x39: UInt32(byte - 0x30) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
