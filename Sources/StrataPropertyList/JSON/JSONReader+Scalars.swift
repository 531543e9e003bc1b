/// Reads the strings and numbers of JSON.
extension JSONReader {
  mutating func string() throws(PropertyListError) -> String {
    let start = cursor.position
    cursor.step()
    var text = ""
    while true {
      let run = cursor.position
      cursor.skip { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 >= 0x20 }
      text += cursor.text(from: run)
      if cursor.skip("\"") { return text }
      if cursor.isAtEnd {
        throw cursor.error(.truncated, "a string has no closing quote; add it", at: start)
      }
      guard cursor.skip("\\") else {
        throw cursor.error(.malformed, "a string contains a control character; escape it")
      }
      guard let scalar = escape() else {
        throw cursor.error(
          .invalidText,
          "unknown escape; use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four hexadecimal "
            + "digits, and both halves of a surrogate pair")
      }
      text.unicodeScalars.append(scalar)
    }
  }

  private mutating func escape() -> Unicode.Scalar? {
    guard let byte = cursor.current else { return nil }
    cursor.step()
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return unicodeEscape()
    default: return nil
    }
  }

  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let first = unicodeUnit() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard
      UTF16.isLeadSurrogate(first), cursor.skip("\\u"),
      let second = unicodeUnit(), UTF16.isTrailSurrogate(second)
    else { return nil }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func unicodeUnit() -> UInt16? {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = cursor.current?.hexValue else { return nil }
      value = value << 4 | UInt16(digit)
      cursor.step()
    }
    return value
  }

  /// Reads a number: an integer, which must fit in 64 bits, if it has neither a point nor an
  /// exponent.
  mutating func number() throws(PropertyListError) -> PropertyListValue {
    let start = cursor.position
    _ = cursor.skip("-")
    let isZeroFirst = cursor.isAt("0")
    let whole = skipDigits()
    guard whole > 0, !isZeroFirst || whole == 1 else { throw missing("a value") }
    var isReal = false
    if cursor.skip(".") {
      isReal = true
      guard skipDigits() > 0 else { throw missing("a digit after the point") }
    }
    if cursor.skip("e") || cursor.skip("E") {
      isReal = true
      if !cursor.skip("+") { _ = cursor.skip("-") }
      guard skipDigits() > 0 else { throw missing("a digit of the exponent") }
    }
    if isReal, let real = Double(cursor.text(from: start)), real.isFinite { return .real(real) }
    if !isReal, let integer = NumberText.integer(cursor.slice(from: start)) { return integer }
    throw cursor.error(
      .invalidNumber, "the number does not fit into 64 bits; use a string", at: start)
  }

  private mutating func skipDigits() -> Int {
    let start = cursor.position
    cursor.skip(while: \.isDigit)
    return cursor.position - start
  }
}
