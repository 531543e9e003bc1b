import StrataDomains
import StrataPropertyList

/// Parses values in the arguments of `write`.
enum ValueNotation {
  /// Parses a value without a flag: a property list if it contains a quote or a bracket, otherwise
  /// a string with its escapes.
  static func value(_ text: String) throws(Failure) -> PropertyListValue {
    if let string = try string(text) { return .string(string) }
    do throws(PropertyListError) {
      return try PropertyList.decode(Array(text.utf8)).value
    } catch {
      throw Failure("Could not parse: \(text). Try single-quoting it.\n\(error)")
    }
  }

  /// A text without quotes and brackets as macOS's command reads it: as if it were in quotes, so
  /// that `\U2192` and `\n` are characters. Nil if it has quotes or brackets.
  static func string(_ text: String) throws(Failure) -> String? {
    if text.utf8.contains(where: { #""()[]{}<>"#.utf8.contains($0) }) { return nil }
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
    do throws(PropertyListError) {
      let value = try PropertyList.decode(Array("\"\(text)\"".utf8), as: .openStep)
      return value.stringValue ?? text
    } catch {
      throw Failure(
        "Could not parse: \(text). Try single-quoting it.\n"
          + "A backslash begins an escape; to store it, write two, or use -string.")
    }
  }

  /// Parses the argument of a flag that takes one.
  static func value(_ text: String, _ flag: ValueFlag) throws(Failure) -> PropertyListValue {
    switch flag {
    case .string: return .string(text)
    case .data: return .data(try bytes(text))
    case .int, .integer: return try integer(text)
    case .float: return .real(try real(text))
    case .bool, .boolean: return .boolean(try boolean(text))
    case .date: return .date(try date(text))
    case .array, .arrayAdd, .dict, .dictAdd: throw nested
    }
  }

  static let nested = Failure(
    "Cannot nest composite types (arrays and dictionaries); exiting")

  private static func integer(_ text: String) throws(Failure) -> PropertyListValue {
    if let number = Int64(text) { return .integer(number) }
    if let number = UInt64(text) { return .unsigned(number) }
    throw Failure(
      "\(text.debugDescription) is not a 64-bit integer; use a number such as 42 or -7. "
        + "Defaults have not been changed.")
  }

  private static func real(_ text: String) throws(Failure) -> Double {
    let isDecimal = text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
    if isDecimal, let number = Double(text), number.isFinite { return number }
    throw Failure(
      "\(text.debugDescription) is not a number; use a number such as 2.5 or -1e9. "
        + "Defaults have not been changed.")
  }

  private static func boolean(_ text: String) throws(Failure) -> Bool {
    if let flag = BooleanText.value(of: text) { return flag }
    throw .usage("\(text.debugDescription) is not a Boolean; use true, false, yes or no")
  }

  private static func date(_ text: String) throws(Failure) -> PropertyListDate {
    if let date = DateNotation.date(text) { return date }
    throw Failure(
      "\(text.debugDescription) is not a date; use a date such as 2020-01-31T12:30:00Z or "
        + "\"2020-01-31 12:30:00 +0000\". Defaults have not been changed.")
  }

  private static func bytes(_ text: String) throws(Failure) -> [UInt8] {
    let digits = text.utf8.map(digit)
    guard digits.count.isMultiple(of: 2), !digits.contains(nil) else {
      throw Failure(
        "\(text.debugDescription) is not data; use an even number of hexadecimal digits. "
          + "Defaults have not been changed.")
    }
    let values = digits.compactMap { $0 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
