/// Writes a property list as XML, with the same bytes as Apple's encoder.
struct XMLWriter {
  private static let prologue = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """
  /// The maximum indentation of lines of data, in tabs of eight columns.
  private static let dataIndentMax = 8
  private static let dataLineMax = 76

  private let nestingMax: Int
  private var bytes: [UInt8] = []

  private init(nestingMax: Int) { self.nestingMax = nestingMax }

  static func encode(
    _ value: PropertyListValue, around levels: Int = 0
  ) throws(PropertyListError) -> [UInt8] {
    var writer = XMLWriter(nestingMax: PropertyListLimits.nesting + levels)
    writer.put(prologue)
    try writer.append(value, indent: 0)
    writer.put("</plist>\n")
    return writer.bytes
  }

  private mutating func append(
    _ value: PropertyListValue, indent: Int
  ) throws(PropertyListError) {
    switch value {
    case .array(let elements): return try append(elements, indent)
    case .dictionary(let entries): return try append(entries, indent)
    case .uid(let number):
      return try append([UIDText.key: PropertyListValue(magnitude: number)], indent)
    case .data(let data): return append(data, indent)
    default: break
    }
    putIndent(indent)
    switch value {
    case .boolean(let value): put(value ? "<true/>" : "<false/>")
    case .integer(let value): put("<integer>\(value)</integer>")
    case .unsigned(let value): put("<integer>\(value)</integer>")
    case .real(let value): put("<real>\(NumberText.text(of: value))</real>")
    case .single(let value): put("<real>\(NumberText.text(of: Double(value)))</real>")
    case .date(let date): try append(date)
    case .string(let string): try appendElement("string", string)
    case .uid, .data, .array, .dictionary: break
    }
    put("\n")
  }

  private mutating func append(
    _ elements: [PropertyListValue], _ indent: Int
  ) throws(PropertyListError) {
    putIndent(indent)
    guard !elements.isEmpty else { return put("<array/>\n") }
    try checkNesting(indent)
    put("<array>\n")
    for element in elements { try append(element, indent: indent + 1) }
    putIndent(indent)
    put("</array>\n")
  }

  private mutating func append(
    _ entries: [String: PropertyListValue], _ indent: Int
  ) throws(PropertyListError) {
    putIndent(indent)
    guard !entries.isEmpty else { return put("<dict/>\n") }
    try checkNesting(indent)
    put("<dict>\n")
    for entry in KeyOrder.sortedAsUTF16(entries) {
      putIndent(indent + 1)
      try appendElement("key", entry.key)
      put("\n")
      try append(entry.value, indent: indent + 1)
    }
    putIndent(indent)
    put("</dict>\n")
  }

  private mutating func append(_ data: [UInt8], _ indent: Int) {
    putIndent(indent)
    put("<data>\n")
    let lineIndent = min(indent, Self.dataIndentMax)
    let lineLength = (Self.dataLineMax - 8 * lineIndent) / 4 * 3
    for start in stride(from: 0, to: data.count, by: lineLength) {
      putIndent(lineIndent)
      bytes.append(contentsOf: Base64.text(of: data[start..<min(start + lineLength, data.count)]))
      put("\n")
    }
    putIndent(indent)
    put("</data>\n")
  }

  private mutating func append(_ date: PropertyListDate) throws(PropertyListError) {
    guard let text = DateText(date) else {
      throw .notRepresentable("a date is not finite or out of range for XML; use the binary format")
    }
    put("<date>\(text.text(separator: "T", zone: "Z"))</date>")
  }

  private mutating func appendElement(
    _ name: String, _ text: String
  ) throws(PropertyListError) {
    put("<\(name)>")
    var text = text
    guard text.isAllowedInXML else {
      throw .notRepresentable(
        "XML has no control characters, U+FFFE or U+FFFF; use the binary format")
    }
    text.withUTF8 { utf8 in
      var start = 0
      for place in utf8.indices {
        guard let entity = Self.entity(for: utf8[place]) else { continue }
        bytes.append(contentsOf: utf8[start..<place])
        put(entity)
        start = place + 1
      }
      bytes.append(contentsOf: utf8[start...])
    }
    put("</\(name)>")
  }

  private static func entity(for byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    default: nil
    }
  }

  private func checkNesting(_ depth: Int) throws(PropertyListError) {
    guard depth < nestingMax else { throw .nestedTooDeep(at: 0) }
  }

  private mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func putIndent(_ count: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: count))
  }
}

extension String {
  /// Whether XML 1.0 allows every character.
  var isAllowedInXML: Bool {
    utf8.allSatisfy { $0 >= 0x20 || $0 == 0x9 || $0 == 0xA || $0 == 0xD }
      && !unicodeScalars.contains { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" }
  }
}
