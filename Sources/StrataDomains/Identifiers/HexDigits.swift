/// Numbers as hexadecimal digits of a fixed count.
///
/// Not by `String(_:radix:)`: a program computes some before its first value, and that would be
/// several times slower.
enum HexDigits {
  /// The first `count` of the 16 digits of `number`.
  static func text(_ number: UInt64, count: Int) -> String {
    String(unsafeUninitializedCapacity: count) { buffer in
      for position in 0..<count {
        let digit = UInt8(number >> UInt64(60 - 4 * position) & 0xF)
        buffer[position] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      return count
    }
  }
}
