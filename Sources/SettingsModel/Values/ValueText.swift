import SettingsBundles
package import StrataPropertyList

/// Shows a value to people, on one line and not too long.
package enum ValueText {
  private static let lengthMax = 80

  package static func text(of value: PropertyListValue) -> String {
    let text = whole(value)
    return text.count > lengthMax ? text.prefix(lengthMax) + "…" : text
  }

  private static func whole(_ value: PropertyListValue) -> String {
    switch value {
    case .string(let text): text.prefix(lengthMax + 1).debugDescription
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .real(let number): RealText.text(of: number, digits: 16)
    case .single(let number): RealText.text(of: Double(number), digits: 7)
    case .date(let date): date.text ?? "a date"
    case .data(let bytes): "\(bytes.count) bytes"
    case .array(let elements): "an array of \(elements.count)"
    case .dictionary(let entries): "a dictionary of \(entries.count)"
    case .uid: "a reference"
    }
  }
}

extension PropertyListValue {
  /// Whether both are the same to a program that reads them, whatever number type they have.
  package func reads(as other: PropertyListValue) -> Bool {
    if self == other { return true }
    guard let number = loose, let others = other.loose else { return false }
    return number == others
  }

  /// As `number`, but a Boolean is 1 or 0: a bundle in a text format has often one for the other.
  private var loose: Double? {
    if case .boolean(let flag) = self { return flag ? 1 : 0 }
    return number
  }
}

extension ClosedRange<Double> {
  /// Without an end that it has only in name.
  var text: String {
    func text(_ bound: Double) -> String {
      bound.isFinite ? RealText.text(of: bound, digits: 16) : ""
    }
    return text(lowerBound) + "…" + text(upperBound)
  }
}
