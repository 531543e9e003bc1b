/// Information about a value that a format does not preserve.
public struct PropertyListLoss: Sendable, Hashable, CustomStringConvertible {
  /// The keys and, for arrays, the positions that lead to the value.
  public var path: [String]
  /// What is lost, such as `the fraction of a second`.
  public var what: String

  /// Creates a loss of `what` at `path`.
  public init(path: [String], what: String) {
    self.path = path
    self.what = what
  }

  /// The path and what is lost, such as `list.2: the fraction of a second`.
  public var description: String {
    "\(path.joined(separator: ".")): \(what)"
  }
}

extension PropertyList {
  /// What would be lost if `value` were encoded in a format and decoded again.
  ///
  /// ```swift
  /// let losses = PropertyList.losses(of: value, as: .xml)
  /// let bytes = try PropertyList.encode(value, as: losses.isEmpty ? .xml : .binary)
  /// ```
  /// A single-precision real counts as preserved if a double represents the same number.
  public static func losses(
    of value: PropertyListValue, as format: PropertyListFormat
  ) -> [PropertyListLoss] {
    var losses: [PropertyListLoss] = []
    if format != .binary { gather(&losses, value, format, []) }
    return losses
  }

  private static func gather(
    _ losses: inout [PropertyListLoss], _ value: PropertyListValue, _ format: PropertyListFormat,
    _ path: [String]
  ) {
    switch value {
    case .array(let elements):
      guard path.count < PropertyListLimits.nesting else { break }
      for (position, element) in elements.enumerated() {
        gather(&losses, element, format, path + [String(position)])
      }
    case .dictionary(let entries):
      guard path.count < PropertyListLimits.nesting else { break }
      if case .uid = UIDText.value(of: entries) {
        let what = "the difference from a UID, which looks the same"
        losses.append(PropertyListLoss(path: path, what: what))
      }
      for entry in KeyOrder.sorted(entries) {
        if let what = loss(of: .string(entry.key), as: format) {
          losses.append(PropertyListLoss(path: path + [entry.key], what: "the key: \(what)"))
        }
        gather(&losses, entry.value, format, path + [entry.key])
      }
    default:
      guard let what = loss(of: value, as: format) else { break }
      losses.append(PropertyListLoss(path: path, what: what))
    }
  }

  private static func loss(of value: PropertyListValue, as format: PropertyListFormat) -> String? {
    switch value {
    case .real(let real): loss(of: real, as: format)
    case .single(let single): loss(of: Double(single), as: format)
    case .date(let date) where DateText(date) == nil:
      "the date, which is not finite or out of range"
    case .date where format == .json: "the type date (written as a string)"
    case .data where format == .json: "the type data (written as a Base64 string)"
    case .date(let date): hasFraction(date) ? "the fraction of a second" : nil
    case .string(let string) where format == .xml:
      string.isAllowedInXML ? nil : "a control character, which XML does not allow"
    default: nil
    }
  }

  private static func loss(of real: Double, as format: PropertyListFormat) -> String? {
    if !real.isFinite {
      return format == .json ? "the type of the number (written as a string)" : nil
    }
    return format != .json && real == 0 && real.sign == .minus ? "the sign of zero" : nil
  }

  private static func hasFraction(_ date: PropertyListDate) -> Bool {
    DateText.wholeSeconds(of: date).map { Double($0) } != date.secondsSinceReference
  }
}
