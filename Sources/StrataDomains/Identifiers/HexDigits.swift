/// Numbers as hexadecimal digits of a fixed count.
///
/// Not by `String(_:radix:)`: a program computes some before its first value, and that would be
/// several times slower.
enum HexDigits {
  /// Appends the first `count` of the 16 digits of `number`.
  static func append(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
    // Not appended one by one: where an array grows, the runtime is asked for its type by name.
    let digits = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      for position in 0..<count {
        let digit = UInt8(number >> UInt64(60 - 4 * position) & 0xF)
        buffer[position] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      filled = count
    }
    bytes = bytes.isEmpty ? digits : bytes + digits
  }
}
