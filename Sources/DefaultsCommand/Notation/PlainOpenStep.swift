import StrataDomains
import StrataPropertyList

/// Converts a value to the types that OpenStep text has in every parser: strings, data, arrays and
/// dictionaries.
struct PlainOpenStep {
  private(set) var value: PropertyListValue = .string("")
  /// The paths to the values that are strings now.
  private(set) var converted: [[String]] = []

  init(_ value: PropertyListValue) throws(Failure) {
    self.value = try plain(value, [])
  }

  /// A warning about the types that are lost; nil if none is.
  var warning: String? {
    if converted.isEmpty { return nil }
    let named = converted.prefix(Self.namedMax).map { path in
      path.isEmpty ? "the value" : ShownName.text(of: path.joined(separator: "."))
    }
    let others = converted.count - named.count
    let rest = others == 0 ? "" : others == 1 ? " and 1 other" : " and \(others) others"
    let isOne = converted.count == 1
    return "warning: OpenStep does not preserve the type\(isOne ? "" : "s") of "
      + "\(named.joined(separator: ", "))\(rest), written as \(isOne ? "a string" : "strings"); "
      + "use the format gnustep or xml to keep \(isOne ? "it" : "them")"
  }

  private static let namedMax = 3

  /// The text that `read` prints, unless it has too few digits to be the same number again.
  private static func text(of number: PropertyListValue) -> String {
    let text = number.stringValue ?? ""
    switch number {
    case .real(let real) where real.isFinite && Double(text) != real: return "\(real)"
    case .single(let single) where single.isFinite && Float(text) != single: return "\(single)"
    default: return text
    }
  }

  private mutating func plain(
    _ value: PropertyListValue, _ path: [String]
  ) throws(Failure) -> PropertyListValue {
    switch value {
    case .string, .data: return value
    case .uid(let number):
      converted.append(path)
      return .dictionary(["CF$UID": .string(String(number))])
    case .boolean, .integer, .unsigned, .real, .single:
      converted.append(path)
      return .string(Self.text(of: value))
    case .date(let date):
      guard let text = date.text else {
        throw Failure(
          "cannot write OpenStep: \(FormatObstacle.prefix(path))a date is not finite or out of "
            + "range; use the binary format")
      }
      converted.append(path)
      return .string(text)
    case .array(let elements):
      var items: [PropertyListValue] = []
      for (position, element) in elements.enumerated() {
        items.append(try plain(element, path + [String(position)]))
      }
      return .array(items)
    case .dictionary(let entries):
      var items: [String: PropertyListValue] = [:]
      for (key, entry) in KeySorting.sorted(entries) {
        items[key] = try plain(entry, path + [key])
      }
      return .dictionary(items)
    }
  }
}
