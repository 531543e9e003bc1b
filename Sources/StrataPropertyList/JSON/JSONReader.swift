/// Reads JSON as a property list; rejects what would be lost, such as null.
///
/// Safety: a reader does not leave the call that lends it the text, and accesses bytes only through
/// `TextCursor`, which checks bounds.
struct JSONReader {
  var cursor: TextCursor
  private var depth = 0

  static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
    let text = try TextEncoding.utf8(bytes)
    return try text.withUnsafeBufferPointer { buffer throws(PropertyListError) in
      var reader = JSONReader(cursor: TextCursor(buffer))
      let value = try reader.value()
      reader.cursor.skipBlanks()
      guard reader.cursor.isAtEnd else {
        throw reader.cursor.error(.malformed, "unexpected text after the JSON value; remove it")
      }
      return value
    }
  }

  private init(cursor: TextCursor) {
    self.cursor = cursor
  }

  private mutating func value() throws(PropertyListError) -> PropertyListValue {
    cursor.skipBlanks()
    switch cursor.current {
    case UInt8(ascii: "{"): return try UIDText.value(of: dictionary())
    case UInt8(ascii: "["): return try .array(array())
    case UInt8(ascii: "\""): return try .string(string())
    default: break
    }
    if cursor.skip("true") { return .boolean(true) }
    if cursor.skip("false") { return .boolean(false) }
    if cursor.isAt("null") {
      throw cursor.error(.unsupported, "null has no property-list form; omit it")
    }
    return try number()
  }

  private mutating func dictionary() throws(PropertyListError) -> [String: PropertyListValue] {
    try enter()
    var entries: [String: PropertyListValue] = [:]
    cursor.skipBlanks()
    if cursor.skip("}") { return leave(entries) }
    repeat {
      cursor.skipBlanks()
      guard cursor.isAt("\"") else { throw missing("a key in double quotes") }
      let key = try string()
      cursor.skipBlanks()
      guard cursor.skip(":") else { throw missing("a colon") }
      entries[key] = try value()
      cursor.skipBlanks()
    } while cursor.skip(",")
    guard cursor.skip("}") else { throw missing("} or a comma") }
    return leave(entries)
  }

  private mutating func array() throws(PropertyListError) -> [PropertyListValue] {
    try enter()
    var elements: [PropertyListValue] = []
    cursor.skipBlanks()
    if cursor.skip("]") { return leave(elements) }
    repeat {
      elements.append(try value())
      cursor.skipBlanks()
    } while cursor.skip(",")
    guard cursor.skip("]") else { throw missing("] or a comma") }
    return leave(elements)
  }

  private mutating func enter() throws(PropertyListError) {
    cursor.step()
    depth += 1
    guard depth <= PropertyListLimits.nesting else {
      throw cursor.error(.nestedTooDeep, PropertyListError.nestedTooDeep(at: 0).reason)
    }
  }

  private mutating func leave<Value>(_ value: Value) -> Value {
    depth -= 1
    return value
  }

  func missing(_ what: String) -> PropertyListError {
    if cursor.isAtEnd { return cursor.error(.truncated, "the text ends where \(what) is expected") }
    return cursor.error(.malformed, "expected \(what)")
  }
}
