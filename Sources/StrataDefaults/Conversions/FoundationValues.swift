// Foundation's values, and durations, as values of keys.

public import Foundation
public import StrataPropertyList

extension Date: StorableValue {
  /// A date.
  public init?(stored: PropertyListValue) {
    guard case .date(let date) = stored else { return nil }
    self.init(timeIntervalSinceReferenceDate: date.secondsSinceReference)
  }

  /// A date.
  public func stored() -> PropertyListValue? { .date(PropertyListDate(self)) }
}

extension Data: StorableValue {
  /// Data.
  public init?(stored: PropertyListValue) {
    guard case .data(let bytes) = stored else { return nil }
    self.init(bytes)
  }

  /// Data.
  public func stored() -> PropertyListValue? { .data([UInt8](self)) }
}

extension URL: StorableValue {
  /// What `url(forKey:)` reads.
  public init?(stored: PropertyListValue) {
    // Of a text, what is stored for a URL is an absolute path; a person may write any.
    if case .string(let text) = stored, StoredFailures.isExact,
      !text.hasPrefix("/"), !text.hasPrefix("~")
    {
      return nil
    }
    guard let url = URLBridge.ofProcess.url(of: stored) else { return nil }
    self = url
  }

  /// What `set(_:forKey:)` stores: the path of a file, any other as an archive.
  public func stored() -> PropertyListValue? { URLBridge.ofProcess.value(of: self) }
}

extension UUID: StorableValue {
  /// The text of one.
  public init?(stored: PropertyListValue) {
    guard case .string(let text) = stored else { return nil }
    self.init(uuidString: text)
  }

  /// Its text.
  public func stored() -> PropertyListValue? { .string(uuidString) }
}

extension Decimal: StorableValue {
  /// The text of one, or a number.
  public init?(stored: PropertyListValue) {
    switch stored {
    case .string(let text): self.init(exactly: text)
    case .integer(let number): self.init(number)
    case .unsigned(let number): self.init(number)
    case .real(let number): self.init(exactly: number.description)
    case .single(let number): self.init(exactly: number.description)
    default: return nil
    }
  }

  /// Its digits as a text: no real of a property list holds them all.
  public func stored() -> PropertyListValue? { .string(description) }

  /// Foundation reads the beginning of a text that has more than a number in it.
  private init?(exactly text: String) {
    let isNumber = text.wholeMatch(of: /[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?/) != nil
    if text.lowercased() == "nan" {
      self = .nan
      return
    }
    guard isNumber, let value = Decimal(string: text) else { return nil }
    self = value
  }
}

extension Duration: StorableValue {
  /// A number of seconds, or the text of one.
  public init?(stored: PropertyListValue) {
    switch stored {
    case .integer(let seconds): self = .seconds(seconds)
    case .real(let seconds) where abs(seconds) < 1e18: self = .seconds(seconds)
    case .single(let seconds) where abs(seconds) < 1e18: self = .seconds(Double(seconds))
    case .string(let text):
      guard let value = Self.exactly(text) else { return nil }
      self = value
    default: return nil
    }
  }

  /// A number of seconds; where a real does not hold it exactly, the text of one.
  public func stored() -> PropertyListValue? {
    let (seconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    if rest == 0, let seconds = Int64(exactly: seconds) { return .integer(seconds) }
    let real = Double(seconds) + Double(rest) / 1e18
    if abs(real) < 1e18, Duration.seconds(real) == self { return .real(real) }
    let sign = self < .zero ? "-" : ""
    let fraction = String(rest.magnitude)
    let zeros = String(repeating: "0", count: 18 - fraction.count)
    return .string("\(sign)\(seconds.magnitude).\(zeros)\(fraction)")
  }

  private static func exactly(_ text: String) -> Duration? {
    guard let match = text.wholeMatch(of: /([-+]?[0-9]+)(?:\.([0-9]{1,18}))?/) else { return nil }
    let fraction = match.output.2 ?? ""
    let zeros = String(repeating: "0", count: 18 - fraction.count)
    return Int128(match.output.1 + fraction + zeros).map { Duration(attoseconds: $0) }
  }
}
