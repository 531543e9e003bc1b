/// Reads a property list in the ASCII format of OpenStep, with GNUstep's typed values, and strings
/// files, which are dictionaries without braces.
///
/// Safety: a reader does not leave the call that lends it the text, and accesses bytes only through
/// `TextCursor`, which checks bounds.
struct OpenStepReader {
  var cursor: TextCursor
  private var depth = 0

  static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
    let text = try TextEncoding.utf8(bytes)
    return try text.withUnsafeBufferPointer { buffer throws(PropertyListError) in
      var reader = OpenStepReader(cursor: TextCursor(buffer))
      return try reader.document()
    }
  }

  private init(cursor: TextCursor) {
    self.cursor = cursor
  }

  private mutating func document() throws(PropertyListError) -> PropertyListValue {
    try skipBlanks()
    if cursor.isAtEnd { return .dictionary([:]) }
    let start = cursor.position
    let value = try value()
    try skipBlanks()
    if cursor.isAtEnd { return value }
    guard case .string = value, cursor.isAt("=") || cursor.isAt(";") else {
      throw cursor.error(.malformed, "unexpected text after the property list; remove it")
    }
    cursor.move(to: start)
    return .dictionary(try entries { $0.isAtEnd })
  }

  private mutating func value() throws(PropertyListError) -> PropertyListValue {
    switch cursor.current {
    case UInt8(ascii: "{"): return try UIDText.value(of: dictionary())
    case UInt8(ascii: "("): return try .array(array())
    case UInt8(ascii: "<"):
      if cursor.isAt("<*") { return try typedValue() }
      return try .data(cursor.isAt("<[") ? base64Data() : data())
    default: return try .string(string())
    }
  }

  private mutating func dictionary() throws(PropertyListError) -> [String: PropertyListValue] {
    try enter()
    let entries = try entries { $0.isAt("}") }
    cursor.step()
    depth -= 1
    return entries
  }

  /// Reads entries until `isAtEnd`, without advancing past the end.
  private mutating func entries(
    until isAtEnd: (TextCursor) -> Bool
  ) throws(PropertyListError) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    try skipBlanks()
    while !isAtEnd(cursor) {
      let key = try string()
      try skipBlanks()
      if cursor.skip("=") {
        try skipBlanks()
        entries[key] = try value()
        try skipBlanks()
      } else {
        // A key without a value is its own value, as in strings files.
        entries[key] = .string(key)
      }
      guard cursor.skip(";") else { throw missing("; after the value") }
      try skipBlanks()
    }
    return entries
  }

  private mutating func array() throws(PropertyListError) -> [PropertyListValue] {
    try enter()
    var elements: [PropertyListValue] = []
    try skipBlanks()
    while !cursor.isAt(")") {
      elements.append(try value())
      try skipBlanks()
      guard cursor.skip(",") else { break }
      try skipBlanks()
    }
    guard cursor.skip(")") else { throw missing(") or a comma") }
    depth -= 1
    return elements
  }

  private mutating func enter() throws(PropertyListError) {
    cursor.step()
    depth += 1
    guard depth <= PropertyListLimits.nesting else {
      throw cursor.error(.nestedTooDeep, PropertyListError.nestedTooDeep(at: 0).reason)
    }
  }

  func missing(_ what: String) -> PropertyListError {
    if cursor.isAtEnd { return cursor.error(.truncated, "the text ends where \(what) is expected") }
    return cursor.error(.malformed, "expected \(what)")
  }

  /// Skips blanks, and comments of both kinds.
  mutating func skipBlanks() throws(PropertyListError) {
    while true {
      cursor.skipBlanks()
      if cursor.isAt("//") {
        cursor.skip { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      } else if cursor.isAt("/*") {
        let start = cursor.position
        guard cursor.skip("/*"), cursor.skip(past: "*/") else {
          throw cursor.error(.truncated, "a comment is not terminated; add */", at: start)
        }
      } else {
        return
      }
    }
  }
}
