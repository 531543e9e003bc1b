/// Writes a property list for people: OpenStep's ASCII format with GNUstep's typed values.
struct OpenStepWriter {
  private let nestingMax: Int
  private var bytes: [UInt8] = []

  private init(nestingMax: Int) { self.nestingMax = nestingMax }

  static func encode(
    _ value: PropertyListValue, around levels: Int = 0
  ) throws(PropertyListError) -> [UInt8] {
    var writer = OpenStepWriter(nestingMax: PropertyListLimits.nesting + levels)
    try writer.append(value, indent: 0)
    writer.put("\n")
    return writer.bytes
  }

  private mutating func append(
    _ value: PropertyListValue, indent: Int
  ) throws(PropertyListError) {
    switch value {
    case .boolean(let value): put(value ? "<*BY>" : "<*BN>")
    case .integer(let value): put("<*I\(value)>")
    case .unsigned(let value): put("<*I\(value)>")
    case .real(let value): put("<*R\(NumberText.text(of: value))>")
    case .single(let value): put("<*R\(NumberText.text(of: Double(value)))>")
    case .date(let date): try append(date)
    case .data(let data): append(data)
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
    guard !elements.isEmpty else { return put("()") }
    try checkNesting(indent)
    put("(\n")
    for (position, element) in elements.enumerated() {
      putIndent(indent + 1)
      try append(element, indent: indent + 1)
      put(position < elements.count - 1 ? ",\n" : "\n")
    }
    putIndent(indent)
    put(")")
  }

  private mutating func append(
    _ entries: [String: PropertyListValue], _ indent: Int
  ) throws(PropertyListError) {
    guard !entries.isEmpty else { return put("{}") }
    try checkNesting(indent)
    put("{\n")
    for entry in KeyOrder.sorted(entries) {
      putIndent(indent + 1)
      append(entry.key)
      put(" = ")
      try append(entry.value, indent: indent + 1)
      put(";\n")
    }
    putIndent(indent)
    put("}")
  }

  private mutating func append(_ date: PropertyListDate) throws(PropertyListError) {
    guard let text = DateText(date) else {
      throw .notRepresentable("a date is not finite or out of range; use the binary format")
    }
    put("<*D\(text.text(separator: " ", zone: " +0000"))>")
  }

  private mutating func append(_ data: [UInt8]) {
    put("<")
    for (position, byte) in data.enumerated() {
      if position > 0, position % 4 == 0 { put(" ") }
      bytes.append(.hexDigit(byte >> 4))
      bytes.append(.hexDigit(byte))
    }
    put(">")
  }

  /// Unquoted if possible, and if it can't be mistaken for a comment.
  private mutating func append(_ string: String) {
    let isPlain = !string.isEmpty && string.utf8.allSatisfy(\.isUnquoted)
    if isPlain, !string.utf8.starts(with: "//".utf8) { return put(string) }
    put("\"")
    for unit in string.utf16 { append(unit) }
    put("\"")
  }

  private mutating func append(_ unit: UInt16) {
    switch unit {
    case 0x22: put("\\\"")
    case 0x5C: put("\\\\")
    case 0x0A: put("\\n")
    case 0x09: put("\\t")
    case 0x20..<0x7F: bytes.append(UInt8(unit))
    case ..<0x80: putDigits(of: unit, bits: 3, count: 3, after: "\\")
    default: putDigits(of: unit, bits: 4, count: 4, after: "\\U")
    }
  }

  private mutating func putDigits(of unit: UInt16, bits: Int, count: Int, after prefix: String) {
    put(prefix)
    for place in (0..<count).reversed() {
      let digit = unit >> UInt16(bits * place) & (1 << UInt16(bits) - 1)
      bytes.append(.hexDigit(UInt8(digit)))
    }
  }

  private func checkNesting(_ depth: Int) throws(PropertyListError) {
    guard depth < nestingMax else { throw .nestedTooDeep(at: 0) }
  }

  private mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func putIndent(_ count: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 4 * count))
  }
}
