/// Reads tags, and skips what may be between them.
extension XMLReader {
  /// The start tag of an element: its name, and whether it is an empty-element tag.
  struct Tag {
    var name: String
    var isEmpty: Bool
  }

  /// Skips blanks, comments, processing instructions and a document type.
  @inline(never)
  mutating func skipMisc() throws(PropertyListError) {
    while true {
      cursor.skipBlanks()
      if cursor.isAt("<!DOCTYPE") {
        try skipDocumentType()
      } else if try !skipComment() {
        return
      }
    }
  }

  /// Skips a comment or a processing instruction; false if there is none here.
  @inline(never)
  mutating func skipComment() throws(PropertyListError) -> Bool {
    if cursor.isAt("<!--") {
      guard cursor.skip("<!--"), cursor.skip(past: "-->") else {
        throw cursor.error(.truncated, "a comment is not terminated; add -->")
      }
      return true
    }
    guard cursor.isAt("<?") else { return false }
    guard cursor.skip(past: "?>") else {
      throw cursor.error(.truncated, "a processing instruction is not terminated; add ?>")
    }
    return true
  }

  /// Skips a document type with its internal subset, which is ignored.
  private mutating func skipDocumentType() throws(PropertyListError) {
    let start = cursor.position
    var brackets = 0
    while let byte = cursor.current {
      switch byte {
      case UInt8(ascii: "["): brackets += 1
      case UInt8(ascii: "]"): brackets -= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        cursor.step()
        cursor.skip { $0 != byte }
      case UInt8(ascii: "<") where cursor.isAt("<!--"):
        // An unterminated comment would hide the end of the document type, too.
        guard cursor.skip(past: "-->") else {
          throw cursor.error(.truncated, "a comment is not terminated; add -->")
        }
        continue
      case UInt8(ascii: ">") where brackets <= 0:
        return cursor.step()
      default: break
      }
      cursor.step()
    }
    throw cursor.error(.truncated, "<!DOCTYPE is not terminated; add >", at: start)
  }

  mutating func openTag() throws(PropertyListError) -> Tag {
    let start = cursor.position
    guard cursor.current == UInt8(ascii: "<") else {
      if cursor.isAtEnd { throw cursor.error(.truncated, "the text ends inside the property list") }
      throw cursor.error(.malformed, "expected an element, found text; enclose it in <string>")
    }
    cursor.step()
    let name = name()
    guard !name.isEmpty else {
      throw cursor.error(.malformed, "< does not start an element; write it as &lt;", at: start)
    }
    try skipAttributes(of: name, start)
    let isEmpty = cursor.skip("/")
    guard cursor.skip(">") else {
      throw cursor.error(.truncated, "<\(name) is not terminated; add >", at: start)
    }
    return Tag(name: name, isEmpty: isEmpty)
  }

  mutating func closeTag(_ name: String) throws(PropertyListError) {
    let start = cursor.position
    if cursor.skip("</"), self.name() == name {
      cursor.skipBlanks()
      if cursor.skip(">") { return }
    }
    throw cursor.error(
      cursor.isAtEnd ? .truncated : .malformed, "missing </\(name)>; add it", at: start)
  }

  private mutating func name() -> String {
    let start = cursor.position
    cursor.skip { !$0.isBlank && !"<>/=\"'&".utf8.contains($0) }
    return cursor.text(from: start)
  }

  private mutating func skipAttributes(
    of name: String, _ start: Int
  ) throws(PropertyListError) {
    while let byte = cursor.current, byte != UInt8(ascii: ">"), !cursor.isAt("/>") {
      guard byte != UInt8(ascii: "<") else { break }
      cursor.step()
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      cursor.skip { $0 != byte }
      cursor.step()
    }
  }
}
