import StrataDomains
import StrataPropertyList

/// Formats values as `read` prints them: in the description format of property lists.
///
/// At the top level, strings are raw and dates unquoted. Within containers, all is ASCII, strings
/// and dates are quoted, and each opening bracket follows the indentation of its level, even after
/// a key on the same line.
struct DescriptionText {
  private var text = ""

  /// The text of a value, without a newline at the end.
  static func text(of value: PropertyListValue) -> String {
    switch value {
    case .string(let string): return string
    case .date(let date): return ShownValue.text(of: date)
    default:
      var description = DescriptionText()
      description.append(value, level: 0)
      return description.text
    }
  }

  /// The text of a dictionary whose keys are compared by bytes.
  static func text(of entries: [(key: String, value: PropertyListValue)]) -> String {
    var description = DescriptionText()
    description.append(KeySorting.sorted(entries), 0)
    return description.text
  }

  private mutating func append(_ value: PropertyListValue, level: Int) {
    switch value {
    case .boolean, .integer, .unsigned, .real, .single:
      let number = value.stringValue ?? ""
      text += level == 0 ? number : Self.quoted(number)
    case .string(let string): text += Self.quoted(string)
    case .date(let date): text += Self.quoted(ShownValue.text(of: date))
    case .data(let bytes): text += Self.text(of: bytes)
    case .uid(let number): append([("CF$UID", PropertyListValue(magnitude: number))], level)
    case .array(let elements): append(elements, level)
    case .dictionary(let entries): append(KeySorting.sorted(entries), level)
    }
  }

  private mutating func append(_ elements: [PropertyListValue], _ level: Int) {
    open("(", level)
    for (position, element) in elements.enumerated() {
      indent(level + 1)
      append(element, level: level + 1)
      text += position < elements.count - 1 ? ",\n" : "\n"
    }
    close(")", level)
  }

  private mutating func append(
    _ entries: [(key: String, value: PropertyListValue)], _ level: Int
  ) {
    open("{", level)
    for (key, value) in entries {
      indent(level + 1)
      text += Self.quoted(key) + " = "
      append(value, level: level + 1)
      text += ";\n"
    }
    close("}", level)
  }

  private mutating func open(_ bracket: String, _ level: Int) {
    indent(level)
    text += bracket + "\n"
  }

  private mutating func close(_ bracket: String, _ level: Int) {
    indent(level)
    text += bracket
  }

  private mutating func indent(_ level: Int) {
    text += String(repeating: "    ", count: level)
  }

  // -- Scalars

  /// Up to 24 bytes in full; of more, the first 16 and the last 8.
  private static func text(of bytes: [UInt8]) -> String {
    guard bytes.count > 24 else { return "{length = \(bytes.count), bytes = 0x\(hex(bytes[...]))}" }
    let first = groups(bytes.prefix(16)).joined(separator: " ")
    let last = groups(bytes.suffix(8)).joined(separator: " ")
    return "{length = \(bytes.count), bytes = 0x\(first) ... \(last) }"
  }

  private static func groups(_ bytes: ArraySlice<UInt8>) -> [String] {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: 4).map { hex(bytes[$0..<$0 + 4]) }
  }

  static func hex(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let pairs = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: pairs, as: UTF8.self)
  }

  /// Quotes and escapes a string, unless it consists of ASCII letters and digits.
  private static func quoted(_ string: String) -> String {
    if !string.isEmpty, string.utf8.allSatisfy(isAlphanumeric) { return string }
    var text = "\""
    for unit in string.utf16 { text += escaped(unit) }
    return text + "\""
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func escaped(_ unit: UInt16) -> String {
    switch unit {
    case 0x22: return "\\\""
    case 0x5C: return "\\\\"
    case 0x0A: return "\\n"
    case 0x09: return "\\t"
    case 0x07: return "\\a"
    case 0x08: return "\\b"
    case 0x0B: return "\\v"
    case 0x0C: return "\\f"
    case ..<0x80: return String(UnicodeScalar(UInt8(unit)))
    default:
      // Two backslashes, as macOS's tool prints them: it escapes the backslash of its own escape.
      return "\\\\U" + hex([UInt8(unit >> 8), UInt8(unit & 0xFF)])
    }
  }
}
