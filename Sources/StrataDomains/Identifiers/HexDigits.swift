/// Numbers as hexadecimal digits of a fixed count.
///
/// Not by `String(_:radix:)`: a program computes some before its first value, and that would be
/// several times slower.
enum HexDigits {
  /// Appends the first `count` of the 16 digits of `number`.
  static func append(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
    for position in 0..<count {
      let digit = UInt8(number >> UInt64(60 - 4 * position) & 0xF)
      bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
  }
}
