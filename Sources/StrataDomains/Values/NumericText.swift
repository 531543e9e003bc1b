/// Parses numbers in stored texts, with a decimal point in every locale.
package enum NumericText {
  /// The real that `text` begins with, after leading blanks, or 0.
  ///
  /// Only decimal digits count. Hexadecimal, `inf` and `nan`, which C's `strtod` accepts, read as
  /// 0: a word such as `infrared` or `nancy` is not a number, and `0x10` should not read as 16 from
  /// one accessor and 0 from another.
  static func real<Real: LosslessStringConvertible & BinaryFloatingPoint>(
    in text: String, as _: Real.Type
  ) -> Real {
    Real(String(text[decimalPrefix(of: text)])) ?? 0
  }

  /// The real that all of `text` forms, after leading blanks; nil if it does not, or is too large.
  package static func whole<Real: LosslessStringConvertible & BinaryFloatingPoint>(
    _ text: String, as _: Real.Type
  ) -> Real? {
    guard !text.isEmpty, decimalPrefix(of: text) == text.startIndex..<text.endIndex,
      let real = Real(text), real.isFinite
    else { return nil }
    return real
  }

  /// The range of the longest prefix of the form `-12.5e-3`; empty if there is none.
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

  /// The end of an exponent at `start`; `start` itself if no digits follow.
  private static func exponentEnd(
    in bytes: String.UTF8View, at start: String.Index
  ) -> String.Index {
    guard start < bytes.endIndex, bytes[start] | 0x20 == UInt8(ascii: "e") else { return start }
    let power = digits(in: bytes, after: sign(in: bytes, at: bytes.index(after: start)))
    return power.isEmpty ? start : power.upperBound
  }

  /// The index after the sign at `start`, or `start` if there is no sign.
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

  /// The same characters as C's `isspace` in ASCII.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
