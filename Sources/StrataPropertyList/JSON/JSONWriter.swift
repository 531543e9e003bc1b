/// Writes a property list as JSON for people and tools, with sorted keys.
///
/// Dates, data and reals that are not finite become strings, which `PropertyList.losses(of:as:)`
/// reports.
struct JSONWriter {
  private let nestingMax: Int
  private var bytes: [UInt8] = []

  private init(nestingMax: Int) { self.nestingMax = nestingMax }

  static func encode(
    _ value: PropertyListValue, around levels: Int = 0
  ) throws(PropertyListError) -> [UInt8] {
    var writer = JSONWriter(nestingMax: PropertyListLimits.nesting + levels)
    try writer.append(value, indent: 0)
    writer.put("\n")
    return writer.bytes
  }

  private mutating func append(
    _ value: PropertyListValue, indent: Int
  ) throws(PropertyListError) {
    switch value {
    case .boolean(let value): put(value ? "true" : "false")
    case .integer(let value): put("\(value)")
    case .unsigned(let value): put("\(value)")
    case .real(let value): append(value, "\(value)")
    case .single(let value): append(Double(value), "\(Double(value))")
    case .date(let date): try append(date)
    case .data(let data): append(String(decoding: Base64.text(of: data[...]), as: UTF8.self))
    case .string(let string): append(string)
    case .uid(let number):
      try append([UIDText.key: PropertyListValue(magnitude: number)], indent)
    case .array(let elements): try append(elements, indent)
    case .dictionary(let entries): try append(entries, indent)
    }
  }

  private mutating func append(
    _ elements: [PropertyListValue], _ indent: Int
  ) throws(PropertyListError) {
    guard !elements.isEmpty else { return put("[]") }
    try checkNesting(indent)
    put("[")
    for (position, element) in elements.enumerated() {
      putLine(indent + 1, after: position > 0 ? "," : "")
      try append(element, indent: indent + 1)
    }
    putLine(indent, after: "")
    put("]")
  }

  private mutating func append(
    _ entries: [String: PropertyListValue], _ indent: Int
  ) throws(PropertyListError) {
    guard !entries.isEmpty else { return put("{}") }
    try checkNesting(indent)
    put("{")
    for (position, entry) in KeyOrder.sorted(entries).enumerated() {
      putLine(indent + 1, after: position > 0 ? "," : "")
      append(entry.key)
      put(": ")
      try append(entry.value, indent: indent + 1)
    }
    putLine(indent, after: "")
    put("}")
  }

  private mutating func append(_ real: Double, _ text: String) {
    guard real.isFinite else { return append(NumberText.text(of: real)) }
    put(text)
  }

  private mutating func append(_ date: PropertyListDate) throws(PropertyListError) {
    guard let text = DateText(date) else {
      throw .notRepresentable("a date is not finite or out of range; use the binary format")
    }
    append(text.text(separator: "T", zone: "Z"))
  }

  private mutating func append(_ string: String) {
    put("\"")
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): put("\\\"")
      case UInt8(ascii: "\\"): put("\\\\")
      case UInt8(ascii: "\n"): put("\\n")
      case UInt8(ascii: "\r"): put("\\r")
      case UInt8(ascii: "\t"): put("\\t")
      case ..<0x20, 0x7F:
        put("\\u00")
        bytes.append(.hexDigit(byte >> 4))
        bytes.append(.hexDigit(byte))
      default: bytes.append(byte)
      }
    }
    put("\"")
  }

  private func checkNesting(_ depth: Int) throws(PropertyListError) {
    guard depth < nestingMax else { throw .nestedTooDeep(at: 0) }
  }

  private mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func putLine(_ indent: Int, after text: String) {
    put(text)
    put("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
  }
}
