/// Something about a value that a notation does not keep.
public struct PropertyListLoss: Sendable, Hashable, CustomStringConvertible {
  /// The keys and, for arrays, the positions that lead to the value.
  public var path: [String]
  /// What is lost, such as `the fraction of a second`.
  public var what: String

  /// A loss of `what` at `path`.
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
  /// What would be lost if `value` were written in a notation and read again.
  ///
  /// ```swift
  /// let losses = PropertyList.losses(of: value, as: .xml)
  /// let bytes = try PropertyList.encode(value, as: losses.isEmpty ? .xml : .binary)
  /// ```
  /// A single-precision real counts as kept where a double says the same number.
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
        losses.append(PropertyListLoss(path: path, what: "that it is no UID, which looks the same"))
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
    case .date where format == .json: "that it is a date: it becomes a string"
    case .data where format == .json: "that it is data: it becomes a string"
    case .date(let date) where DateText(date) == nil: "the date: it is not finite or too far away"
    case .date(let date): hasFraction(date) ? "the fraction of a second" : nil
    case .string(let string) where format == .xml:
      string.isAllowedInXML ? nil : "a control character, which XML cannot hold"
    default: nil
    }
  }

  private static func loss(of real: Double, as format: PropertyListFormat) -> String? {
    if !real.isFinite { return format == .json ? "that it is a real: it becomes a string" : nil }
    return format != .json && real == 0 && real.sign == .minus ? "the sign of zero" : nil
  }

  private static func hasFraction(_ date: PropertyListDate) -> Bool {
    DateText.wholeSeconds(of: date).map { Double($0) } != date.secondsSinceReference
  }
}
