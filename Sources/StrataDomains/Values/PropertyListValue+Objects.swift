package import StrataPropertyList

/// A stored value as a text, data or a container: nothing where it is not one.
///
/// Only numbers become texts; nothing else is converted.
extension PropertyListValue {
  /// The text itself, or that of a number: 16 digits of a real, 7 of a single, 1 or 0 of a Boolean.
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

  /// The texts of an array of texts; a number among them is not converted.
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
