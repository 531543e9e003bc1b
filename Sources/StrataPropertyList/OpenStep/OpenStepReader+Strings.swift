/// Reads strings, quoted and unquoted.
extension OpenStepReader {
  mutating func string() throws(PropertyListError) -> String {
    if let quote = cursor.current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return try quotedString(quote)
    }
    let start = cursor.position
    cursor.skip(while: \.isUnquoted)
    guard cursor.position > start else { throw missing("a string or another value") }
    return cursor.text(from: start)
  }

  private mutating func quotedString(_ quote: UInt8) throws(PropertyListError) -> String {
    let start = cursor.position
    cursor.step()
    var text = ""
    while true {
      let run = cursor.position
      cursor.skip { $0 != quote && $0 != UInt8(ascii: "\\") }
      text += cursor.text(from: run)
      guard let byte = cursor.current else {
        throw cursor.error(.truncated, "a string has no closing quote; add it", at: start)
      }
      if byte == quote {
        cursor.step()
        return text
      }
      text.unicodeScalars.append(try escape())
    }
  }

  private mutating func escape() throws(PropertyListError) -> Unicode.Scalar {
    let start = cursor.position
    cursor.step()
    guard let byte = cursor.current else { throw missing("the rest of an escape") }
    if (0x30...0x37).contains(byte) { return octalEscape() }
    if byte == UInt8(ascii: "U") {
      guard let scalar = unicodeEscape() else {
        throw cursor.error(
          .invalidText,
          "\\U requires one to four hexadecimal digits, and both halves of a surrogate pair",
          at: start)
      }
      return scalar
    }
    if let scalar = Self.escapes[byte] {
      cursor.step()
      return scalar
    }
    return plainCharacter()
  }

  private static let escapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}",
    UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    UInt8(ascii: "v"): "\u{B}",
  ]

  /// The character after a backslash, if the escape has no other meaning.
  private mutating func plainCharacter() -> Unicode.Scalar {
    let start = cursor.position
    cursor.step()
    cursor.skip { $0 & 0xC0 == 0x80 }
    return cursor.text(from: start).unicodeScalars.first ?? "\u{FFFD}"
  }

  private mutating func octalEscape() -> Unicode.Scalar {
    var value: UInt32 = 0
    for _ in 0..<3 {
      guard let digit = cursor.current, (0x30...0x37).contains(digit) else { break }
      value = value * 8 + UInt32(digit - 0x30)
      cursor.step()
    }
    return NextStepLatin.scalar(of: UInt8(truncatingIfNeeded: value))
  }

  private mutating func unicodeEscape() -> Unicode.Scalar? {
    guard let first = unicodeUnit() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard
      UTF16.isLeadSurrogate(first), cursor.skip("\\"),
      cursor.isAt("U"), let second = unicodeUnit(), UTF16.isTrailSurrogate(second)
    else { return nil }
    return UTF16.decode(UTF16.EncodedScalar([first, second]))
  }

  private mutating func unicodeUnit() -> UInt16? {
    cursor.step()
    var value: UInt16 = 0
    var count = 0
    while count < 4, let digit = cursor.current?.hexValue {
      value = value << 4 | UInt16(digit)
      count += 1
      cursor.step()
    }
    return count > 0 ? value : nil
  }
}

extension UInt8 {
  /// Whether the character may be in an unquoted string.
  var isUnquoted: Bool {
    isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
      || (0x2D...0x2F).contains(self) || self == UInt8(ascii: ":")
  }
}
