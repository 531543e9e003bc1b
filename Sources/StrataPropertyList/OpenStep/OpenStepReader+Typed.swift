/// Reads data, and values in GNUstep's typed notation.
///
/// Safety: slices of text are clamped to the cursor's bounds, and used up before the call that took
/// them returns.
extension OpenStepReader {
  /// `<0fbd77 1c2735ae>`
  mutating func data() throws(PropertyListError) -> [UInt8] {
    let start = cursor.position
    cursor.step()
    var data: [UInt8] = []
    var high: UInt8?
    while let byte = cursor.current, byte != UInt8(ascii: ">") {
      if let digit = byte.hexValue {
        if let first = high { data.append(first << 4 | digit) }
        high = high == nil ? digit : nil
      } else if !byte.isBlank {
        throw cursor.error(.malformed, "data may only contain hexadecimal digits and whitespace")
      }
      cursor.step()
    }
    guard cursor.skip(">") else { throw missing("> after data") }
    guard high == nil else {
      throw cursor.error(.malformed, "data has an odd number of digits; add one", at: start)
    }
    return data
  }

  /// `<[SGVsbG8=]>`
  mutating func base64Data() throws(PropertyListError) -> [UInt8] {
    cursor.step(2)
    let start = cursor.position
    cursor.skip { $0 != UInt8(ascii: "]") }
    switch Base64.data(of: cursor.slice(from: start)) {
    case .failure(let fault):
      throw cursor.error(
        .malformed, "data in <[ ]> is not valid Base64", at: start + fault.offset)
    case .success(let data):
      guard cursor.skip("]>") else { throw missing("]> after data") }
      return data
    }
  }

  /// `<*I5>`, `<*R1.5>`, `<*BY>`, `<*D2001-02-03 04:05:06 +0000>`
  mutating func typedValue() throws(PropertyListError) -> PropertyListValue {
    let start = cursor.position
    cursor.step(2)
    let type = cursor.current
    cursor.step()
    if cursor.current == UInt8(ascii: "\"") { cursor.step() }
    let content = cursor.position
    cursor.skip { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "\"") }
    let value = Self.typedValue(type, cursor.slice(from: content))
    _ = cursor.skip("\"")
    guard cursor.skip(">") else { throw missing("> after a typed value") }
    guard let value else {
      throw cursor.error(
        .invalidNumber,
        "invalid typed value; use the form <*I5>, <*R1.5>, <*BY> or <*D2001-02-03 04:05:06 +0000>",
        at: start)
    }
    return value
  }

  private static func typedValue(
    _ type: UInt8?, _ text: UnsafeBufferPointer<UInt8>
  ) -> PropertyListValue? {
    switch type {
    case UInt8(ascii: "I"): return NumberText.integer(text)
    case UInt8(ascii: "R"): return NumberText.real(text).map { .real($0) }
    case UInt8(ascii: "D"): return date(text).map { .date($0) }
    case UInt8(ascii: "B") where text.elementsEqual("Y".utf8): return .boolean(true)
    case UInt8(ascii: "B") where text.elementsEqual("N".utf8): return .boolean(false)
    default: return nil
    }
  }

  private static func date(_ text: UnsafeBufferPointer<UInt8>) -> PropertyListDate? {
    var cursor = TextCursor(text)
    guard let date = DateText(&cursor, separator: UInt8(ascii: " "))?.date else { return nil }
    cursor.skipBlanks()
    let isWest = cursor.isAt("-")
    guard cursor.skip("+") || cursor.skip("-") else { return nil }
    let start = cursor.position
    cursor.skip(while: \.isDigit)
    let zone = cursor.slice(from: start)
    guard zone.count == 4, cursor.isAtEnd, let number = Int(cursor.text(from: start)),
      number / 100 < 24, number % 100 < 60
    else { return nil }
    let offset = Double((number / 100) * 3600 + (number % 100) * 60)
    let seconds = date.secondsSinceReference + (isWest ? offset : -offset)
    let shifted = PropertyListDate(secondsSinceReference: seconds)
    return DateText.wholeSeconds(of: shifted) == nil ? nil : shifted
  }
}
