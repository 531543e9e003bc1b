/// Guesses the format of a property list by its first characters.
///
/// Safety: `TextCursor` checks bounds; cursors live inside the call that lends the text.
enum FormatGuess {
  /// How many bytes are examined at first to find what follows a dictionary's first key.
  private static let lookAhead = 4096

  /// The most likely format of these bytes; nil if there are none.
  static func format(of bytes: [UInt8]) -> PropertyListFormat? {
    if bytes.isEmpty { return nil }
    if bytes.starts(with: BinaryTrailer.header.prefix(6)) { return .binary }
    var count = lookAhead
    // Most keys are short, and few texts begin with many blanks.
    while count < bytes.count {
      if let format = format(ofBeginning: bytes.prefix(count), isWhole: false) { return format }
      count *= 16
    }
    return format(ofBeginning: bytes[...], isWhole: true)
  }

  /// Nil if more of the bytes has to be seen.
  private static func format(
    ofBeginning bytes: ArraySlice<UInt8>, isWhole: Bool
  ) -> PropertyListFormat? {
    // Without zeros and byte order marks, UTF-16 and UTF-32 begin like ASCII.
    let start = bytes.filter { $0 != 0 && $0 < 0x80 }
    return start.withUnsafeBufferPointer { text in
      var cursor = TextCursor(text)
      cursor.skipBlanks()
      switch cursor.current {
      case nil: return isWhole ? .openStep : nil
      case UInt8(ascii: "<"): return isOpenStepData(cursor) ? .openStep : .xml
      case UInt8(ascii: "["): return .json
      case UInt8(ascii: "{"):
        guard let isJSON = isJSONObject(cursor) else { return isWhole ? .openStep : nil }
        return isJSON ? .json : .openStep
      default: return .openStep
      }
    }
  }

  /// Whether bytes could be text: they begin with a byte order mark, or have no control characters
  /// except blanks.
  static func isText(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return true }
    return bytes.allSatisfy { $0 >= 0x20 ? $0 != 0x7F : (0x09...0x0D).contains($0) }
  }

  /// Whether `<` begins data or a typed value, not an element.
  private static func isOpenStepData(_ start: TextCursor) -> Bool {
    var cursor = start
    cursor.step()
    if cursor.isAt("*") || cursor.isAt("[") { return true }
    cursor.skip { $0.isBlank || $0.hexValue != nil }
    return cursor.isAtEnd || cursor.isAt(">")
  }

  /// Whether the first key of a dictionary is followed by a colon; nil if the text ends before.
  private static func isJSONObject(_ start: TextCursor) -> Bool? {
    var cursor = start
    cursor.step()
    cursor.skipBlanks()
    if cursor.isAtEnd { return nil }
    guard cursor.skip("\"") else { return false }
    while let byte = cursor.current, byte != UInt8(ascii: "\"") {
      cursor.step(byte == UInt8(ascii: "\\") ? 2 : 1)
    }
    cursor.step()
    cursor.skipBlanks()
    return cursor.isAtEnd ? nil : cursor.isAt(":")
  }
}
