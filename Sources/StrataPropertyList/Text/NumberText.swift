/// Converts numbers to and from the text that property lists allow.
///
/// Safety: digits are iterated over and sliced by `dropFirst`, which stops at the end; the text is
/// lent for one call, which returns only a number.
enum NumberText {
  /// An integer in decimal or, after `0x`, in hexadecimal; nil if it is malformed, has blanks, or
  /// does not fit in 64 bits.
  static func integer(_ text: UnsafeBufferPointer<UInt8>) -> PropertyListValue? {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = isNegative || text.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    let radix: UInt64 = isHexadecimal ? 16 : 10
    guard let magnitude = magnitude(isHexadecimal ? digits.dropFirst(2) : digits, radix) else {
      return nil
    }
    if !isNegative { return PropertyListValue(magnitude: magnitude) }
    guard magnitude <= UInt64(1) << 63 else { return nil }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// A real in decimal, `nan`, or `infinity` with an optional sign; nil for any other text.
  static func real(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    let isDecimal = text.allSatisfy { byte in
      byte.isDigit || "+-.eE".utf8.contains(byte)
    }
    if isDecimal { return Double(String(decoding: text, as: UTF8.self)) }
    switch String(decoding: text, as: UTF8.self).lowercased() {
    case "nan", "+nan", "-nan": return .nan
    case "infinity", "+infinity", "inf", "+inf": return .infinity
    case "-infinity", "-inf": return -.infinity
    default: return nil
    }
  }

  /// The text of a real, finite or not.
  static func text(of real: Double) -> String {
    if real.isNaN { return "nan" }
    if real.isInfinite { return real < 0 ? "-infinity" : "+infinity" }
    return RealText.text(of: real)
  }

  private static func magnitude(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>, _ radix: UInt64
  ) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var magnitude: UInt64 = 0
    for digit in digits {
      guard let value = digit.hexValue, value < radix else { return nil }
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: radix)
      let (sum, carry) = product.addingReportingOverflow(UInt64(value))
      guard !overflow, !carry else { return nil }
      magnitude = sum
    }
    return magnitude
  }
}

extension PropertyListValue {
  /// A nonnegative integer: `.integer` if it fits, otherwise `.unsigned`.
  package init(magnitude: UInt64) {
    self = Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
  }
}
