/// Reads the elements that contain text.
extension XMLReader {
  func malformed(_ reason: String, at start: Int) -> PropertyListError {
    cursor.error(.malformed, reason, at: start)
  }

  mutating func boolean(_ tag: Tag, _ value: Bool) throws(PropertyListError) -> Bool {
    if !tag.isEmpty {
      try skipMisc()
      try closeTag(tag.name)
    }
    return value
  }

  mutating func integer(_ tag: Tag) throws(PropertyListError) -> PropertyListValue {
    let start = cursor.position
    var text = try text(tag)
    let number = text.withUTF8 { NumberText.integer($0) }
    guard let number else {
      throw cursor.error(
        .invalidNumber,
        "<integer> must contain decimal digits without whitespace, or 0x and hexadecimal digits, "
          + "for a number from -2^63 to 2^64-1", at: start)
    }
    return number
  }

  mutating func real(_ tag: Tag) throws(PropertyListError) -> Double {
    let start = cursor.position
    var text = try text(tag)
    let number = text.withUTF8 { NumberText.real($0) }
    guard let number else {
      throw cursor.error(
        .invalidNumber, "<real> must contain a decimal number without whitespace, nan or infinity",
        at: start)
    }
    return number
  }

  mutating func date(_ tag: Tag) throws(PropertyListError) -> PropertyListDate {
    let start = cursor.position
    var text = try text(tag)
    let date = text.withUTF8 { utf8 -> PropertyListDate? in
      var cursor = TextCursor(utf8)
      let date = DateText(&cursor, separator: UInt8(ascii: "T"))
      return cursor.skip("Z") && cursor.isAtEnd ? date?.date : nil
    }
    guard let date else {
      throw malformed("<date> must have the form 2001-02-03T04:05:06Z", at: start)
    }
    return date
  }

  mutating func data(_ tag: Tag) throws(PropertyListError) -> [UInt8] {
    let start = cursor.position
    var text = try text(tag)
    switch text.withUTF8({ Base64.data(of: $0) }) {
    case .success(let data): return data
    case .failure(let fault):
      throw malformed(
        "<data> is not valid Base64: groups of four of A-Z a-z 0-9 + /, the last padded with =",
        at: start + fault.offset)
    }
  }

  /// The text of an element up to its end, with entities and CDATA resolved.
  mutating func text(_ tag: Tag) throws(PropertyListError) -> String {
    if tag.isEmpty { return "" }
    let start = cursor.position
    cursor.skip { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
    if cursor.isAt("</") {
      let text = cursor.text(from: start)
      try closeTag(tag.name)
      return text
    }
    var bytes = Array(cursor.slice(from: start))
    while !cursor.isAt("</") {
      if cursor.current == UInt8(ascii: "&") {
        bytes.append(contentsOf: try entity())
      } else if cursor.isAt("<![CDATA[") {
        bytes.append(contentsOf: try characterData())
      } else if try !skipComment() {
        let kind: PropertyListError.Kind = cursor.isAtEnd ? .truncated : .malformed
        throw cursor.error(kind, "missing </\(tag.name)>; add it, or write < as &lt;")
      }
      let start = cursor.position
      cursor.skip { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
      bytes.append(contentsOf: cursor.slice(from: start))
    }
    try closeTag(tag.name)
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func characterData() throws(PropertyListError) -> [UInt8] {
    let start = cursor.position
    guard cursor.skip("<![CDATA["), cursor.skip(past: "]]>") else {
      throw cursor.error(.truncated, "<![CDATA[ is not terminated; add ]]>", at: start)
    }
    return Array(cursor.slice(from: start).dropFirst(9).dropLast(3))
  }

  private mutating func entity() throws(PropertyListError) -> [UInt8] {
    let start = cursor.position
    if cursor.skip("&lt;") { return [UInt8(ascii: "<")] }
    if cursor.skip("&gt;") { return [UInt8(ascii: ">")] }
    if cursor.skip("&amp;") { return [UInt8(ascii: "&")] }
    if cursor.skip("&quot;") { return [UInt8(ascii: "\"")] }
    if cursor.skip("&apos;") { return [UInt8(ascii: "'")] }
    if let scalar = characterReference() { return Array(String(scalar).utf8) }
    throw malformed(
      "unknown entity: only &lt; &gt; &amp; &quot; &apos; and references such as &#65; are "
        + "supported; write & as &amp;",
      at: start)
  }

  private mutating func characterReference() -> Unicode.Scalar? {
    guard cursor.skip("&#") else { return nil }
    let radix: UInt32 = cursor.skip("x") ? 16 : 10
    var value: UInt32 = 0
    var count = 0
    while let digit = cursor.current?.hexValue, digit < radix, value <= 0x10FFFF {
      value = value * radix + UInt32(digit)
      count += 1
      cursor.step()
    }
    guard count > 0, value > 0, cursor.skip(";") else { return nil }
    return Unicode.Scalar(value)
  }
}
