/// Finds numbers in stored texts, always with a point, whatever the process's locale is.
package enum NumericText {
  /// The real that `text` begins with after leading blanks, or 0.
  ///
  /// Only decimal digits make one. Hexadecimal, `inf` and `nan`, which C's `strtod` would read,
  /// are 0: a word such as `infrared` or `nancy` is not a number, and someone who writes `0x10` is
  /// not to get 16 from one accessor and 0 from another.
  static func real<Real: LosslessStringConvertible & BinaryFloatingPoint>(
    in text: String, as _: Real.Type
  ) -> Real {
    Real(String(text[decimalPrefix(of: text)])) ?? 0
  }

  /// The real that `text` is as a whole, blanks included; nil when it is none, or too large.
  package static func whole<Real: LosslessStringConvertible & BinaryFloatingPoint>(
    _ text: String, as _: Real.Type
  ) -> Real? {
    guard !text.isEmpty, decimalPrefix(of: text) == text.startIndex..<text.endIndex,
      let real = Real(text), real.isFinite
    else { return nil }
    return real
  }

  /// Where the longest prefix stands that reads `-12.5e-3`; empty when there is none.
  private static func decimalPrefix(of text: String) -> Range<String.Index> {
    let bytes = text.utf8
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.endIndex
    let whole = digits(in: bytes, after: sign(in: bytes, at: start))
    var (end, isNumber) = (whole.upperBound, !whole.isEmpty)
    if end < bytes.endIndex, bytes[end] == UInt8(ascii: ".") {
      let fraction = digits(in: bytes, after: bytes.index(after: end))
      if isNumber || !fraction.isEmpty { (end, isNumber) = (fraction.upperBound, true) }
    }
    guard isNumber else { return start..<start }
    return start..<exponentEnd(in: bytes, at: end)
  }

  /// The end of an exponent that stands at `start`; `start` itself unless it has a digit.
  private static func exponentEnd(
    in bytes: String.UTF8View, at start: String.Index
  ) -> String.Index {
    guard start < bytes.endIndex, bytes[start] | 0x20 == UInt8(ascii: "e") else { return start }
    let power = digits(in: bytes, after: sign(in: bytes, at: bytes.index(after: start)))
    return power.isEmpty ? start : power.upperBound
  }

  /// Behind the sign that stands at `start`, if one does.
  private static func sign(in bytes: String.UTF8View, at start: String.Index) -> String.Index {
    guard start < bytes.endIndex, "+-".utf8.contains(bytes[start]) else { return start }
    return bytes.index(after: start)
  }

  private static func digits(
    in bytes: String.UTF8View, after start: String.Index
  ) -> Range<String.Index> {
    let end = bytes[start...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.endIndex
    return start..<end
  }

  /// What C's `isspace` says of ASCII.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
