/// Reads a property list in XML: its elements, and only as much of XML as they need.
///
/// A document type is skipped and never fetched or expanded; the only entities are the five of XML
/// and character references.
///
/// Safety: a reader does not leave the call that lends it the text, and accesses bytes only through
/// `TextCursor`, which checks bounds.
struct XMLReader {
  var cursor: TextCursor
  private var depth = 0

  static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
    let isLatin1 = try declaresLatin1(bytes)
    let text = isLatin1 ? TextEncoding.utf8(latin1: bytes) : try TextEncoding.utf8(bytes)
    return try text.withUnsafeBufferPointer { buffer throws(PropertyListError) in
      var reader = XMLReader(cursor: TextCursor(buffer))
      return try reader.document()
    }
  }

  private init(cursor: TextCursor) {
    self.cursor = cursor
  }

  private mutating func document() throws(PropertyListError) -> PropertyListValue {
    try skipMisc()
    let start = cursor.position
    let tag = try openTag()
    let value: PropertyListValue
    if tag.name == "plist" {
      if tag.isEmpty { throw cursor.error(.malformed, "<plist> is empty; add a value", at: start) }
      value = try self.value(in: "plist")
      try skipMisc()
      try closeTag("plist")
    } else {
      value = try self.value(tag, at: start)
    }
    try skipMisc()
    guard cursor.isAtEnd else {
      throw cursor.error(.malformed, "unexpected text after the property list; remove it")
    }
    return value
  }

  /// Reads the next value; fails if there is none.
  private mutating func value(
    in parent: StaticString
  ) throws(PropertyListError) -> PropertyListValue {
    try skipMisc()
    let start = cursor.position
    if cursor.isAt("</") {
      throw cursor.error(.malformed, "missing value before </\(parent)>; add it")
    }
    return try value(try openTag(), at: start)
  }

  private mutating func value(
    _ tag: Tag, at start: Int
  ) throws(PropertyListError) -> PropertyListValue {
    switch tag.name {
    case "dict": return try UIDText.value(of: dictionary(tag))
    case "array": return try .array(array(tag))
    default: return try scalar(tag, at: start)
    }
  }

  /// Separate from `value(_:at:)`, so that a level of nesting needs little stack.
  @inline(never)
  private mutating func scalar(
    _ tag: Tag, at start: Int
  ) throws(PropertyListError) -> PropertyListValue {
    switch tag.name {
    case "string": return try .string(text(tag))
    case "integer": return try integer(tag)
    case "real": return try .real(real(tag))
    case "date": return try .date(date(tag))
    case "data": return try .data(data(tag))
    case "true": return try .boolean(boolean(tag, true))
    case "false": return try .boolean(boolean(tag, false))
    default:
      throw cursor.error(
        .unsupported,
        "<\(tag.name)> is not a property-list element; use dict, array, string, integer, real, "
          + "date, data, true or false", at: start)
    }
  }

  private mutating func dictionary(
    _ tag: Tag
  ) throws(PropertyListError) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [:]
    if tag.isEmpty { return entries }
    try enter()
    try skipMisc()
    while !cursor.isAt("</") {
      let start = cursor.position
      let keyTag = try openTag()
      guard keyTag.name == "key" else {
        throw cursor.error(
          .keyNotString, "expected <key>, found <\(keyTag.name)>; add the key", at: start)
      }
      let key = try text(keyTag)
      entries[key] = try value(in: "dict")
      try skipMisc()
    }
    try closeTag(tag.name)
    depth -= 1
    return entries
  }

  private mutating func array(_ tag: Tag) throws(PropertyListError) -> [PropertyListValue] {
    var elements: [PropertyListValue] = []
    if tag.isEmpty { return elements }
    try enter()
    try skipMisc()
    while !cursor.isAt("</") {
      elements.append(try value(in: "array"))
      try skipMisc()
    }
    try closeTag(tag.name)
    depth -= 1
    return elements
  }

  private mutating func enter() throws(PropertyListError) {
    depth += 1
    guard depth <= PropertyListLimits.nesting else {
      throw cursor.error(.nestedTooDeep, PropertyListError.nestedTooDeep(at: 0).reason)
    }
  }
}
