package import StrataPropertyList

/// Reads a stored value as a string, data or a container; nil if it is something else.
///
/// Only numbers are converted, to strings.
extension PropertyListValue {
  /// The string, or a number as one: 16 digits for a real, 7 for a single, 1 or 0 for a Boolean.
  package var stringValue: String? {
    switch self {
    case .string(let text): text
    case .boolean(let value): value ? "1" : "0"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .real(let value): RealText.text(of: value, digits: 16)
    case .single(let value): RealText.text(of: Double(value), digits: 7)
    case .date, .data, .uid, .array, .dictionary: nil
    }
  }

  package var dataValue: [UInt8]? {
    guard case .data(let bytes) = self else { return nil }
    return bytes
  }

  package var arrayValue: [PropertyListValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  package var dictionaryValue: [String: PropertyListValue]? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries
  }

  /// The elements of an array of strings; nil if any element is not a string, even if it is a
  /// number.
  package var stringArrayValue: [String]? {
    guard case .array(let elements) = self else { return nil }
    var texts: [String] = []
    texts.reserveCapacity(elements.count)
    for element in elements {
      guard case .string(let text) = element else { return nil }
      texts.append(text)
    }
    return texts
  }
}
