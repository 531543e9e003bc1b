// Booleans, texts and numbers as values of keys: of exactly their type, or as text, since command
// lines and environments have nothing else.

import StrataDomains
public import StrataPropertyList

extension Bool: StorableValue {
  /// Converts a Boolean, 0, 1, or one of the texts `YES`, `true`, `1`, `NO`, `false` and `0`,
  /// ignoring case.
  @inlinable
  public init?(stored: PropertyListValue) {
    if case .boolean(let flag) = stored {
      self = flag
    } else {
      guard let flag = Self.parsed(from: stored) else { return nil }
      self = flag
    }
  }

  /// A Boolean.
  @inlinable
  public func stored() -> PropertyListValue? { .boolean(self) }

  @usableFromInline
  static func parsed(from stored: PropertyListValue) -> Bool? {
    if StoredFailures.isExact { return nil }
    return switch stored {
    case .integer(0): false
    case .integer(1): true
    case .string(let text): BooleanText.value(of: text)
    default: nil
    }
  }
}

extension String: StorableValue {
  /// A text.
  @inlinable
  public init?(stored: PropertyListValue) {
    guard case .string(let text) = stored else { return nil }
    self = text
  }

  /// A text.
  @inlinable
  public func stored() -> PropertyListValue? { .string(self) }
}

extension StorableValue where Self: FixedWidthInteger & Codable {
  /// Converts an integer in range, a real without a fraction, or the text of an integer.
  @inlinable
  public init?(stored: PropertyListValue) {
    if case .integer(let number) = stored {
      self.init(exactly: number)
    } else {
      guard let number = Self.parsed(from: stored) else { return nil }
      self = number
    }
  }

  /// An integer; a text, where it takes more than 64 bits.
  @inlinable
  public func stored() -> PropertyListValue? {
    if let number = Int64(exactly: self) { return .integer(number) }
    return UInt64(exactly: self).map { .unsigned($0) } ?? .string(description)
  }

  @usableFromInline
  static func parsed(from stored: PropertyListValue) -> Self? {
    // One that takes more bits is stored as a text.
    if case .string = stored, bitWidth <= 64, StoredFailures.isExact { return nil }
    return switch WideInteger(stored) {
    case .signed(let number): Self(exactly: number)
    case .unsigned(let number): Self(exactly: number)
    case nil: nil
    }
  }
}

/// A number that is stored in any way, so that there is one parser and not one for each type.
private enum WideInteger {
  case signed(Int128)
  case unsigned(UInt128)

  @inline(never)
  init?(_ stored: PropertyListValue) {
    switch stored {
    case .integer(let number): self = .signed(Int128(number))
    case .unsigned(let number): self = .unsigned(UInt128(number))
    case .real(let number): self.init(number)
    case .single(let number): self.init(Double(number))
    case .string(let text):
      if let number = Int128(text) {
        self = .signed(number)
      } else if let number = UInt128(text) {
        self = .unsigned(number)
      } else {
        return nil
      }
    default: return nil
    }
  }

  private init?(_ real: Double) {
    if let number = Int128(exactly: real) {
      self = .signed(number)
    } else if let number = UInt128(exactly: real) {
      self = .unsigned(number)
    } else {
      return nil
    }
  }
}

extension Int: StorableValue {}
extension Int8: StorableValue {}
extension Int16: StorableValue {}
extension Int32: StorableValue {}
extension Int64: StorableValue {}
extension Int128: StorableValue {}
extension UInt: StorableValue {}
extension UInt8: StorableValue {}
extension UInt16: StorableValue {}
extension UInt32: StorableValue {}
extension UInt64: StorableValue {}
extension UInt128: StorableValue {}

extension Double: StorableValue {
  /// Converts a number, or the text of a decimal number.
  @inlinable
  public init?(stored: PropertyListValue) {
    if case .real(let number) = stored {
      self = number
    } else {
      guard let number = Self.parsed(from: stored) else { return nil }
      self = number
    }
  }

  /// A real.
  @inlinable
  public func stored() -> PropertyListValue? { .real(self) }

  @usableFromInline
  static func parsed(from stored: PropertyListValue) -> Double? {
    switch stored {
    case .real(let number): number
    case .single(let number): Double(number)
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .string(let text) where !StoredFailures.isExact:
      NumericText.whole(text, as: Double.self)
    default: nil
    }
  }
}

extension Float: StorableValue {
  /// Converts a number, or the text of a decimal number, to the nearest single, unless it is larger
  /// than every single.
  public init?(stored: PropertyListValue) {
    switch stored {
    case .single(let number): self = number
    case .integer(let number): self.init(number)
    case .unsigned(let number): self.init(number)
    case .real(let number):
      self.init(number)
      if isInfinite, number.isFinite { return nil }
    case .string(let text) where !StoredFailures.isExact:
      guard let number = NumericText.whole(text, as: Float.self) else { return nil }
      self = number
    default: return nil
    }
  }

  /// A real of single precision.
  public func stored() -> PropertyListValue? { .single(self) }
}

extension PropertyListValue: StorableValue {
  /// The value itself, whatever it is.
  @inlinable
  public init?(stored: PropertyListValue) { self = stored }

  /// The value itself.
  @inlinable
  public func stored() -> PropertyListValue? { self }
}
