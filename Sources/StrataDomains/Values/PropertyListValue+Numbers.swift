public import StrataPropertyList

/// A stored value as a number or a Boolean: every value has one, if only 0 or false.
///
/// A number becomes another number in line and without allocation; texts are read elsewhere, so
/// that the fast path stays small. References of keyed archives count as containers.
extension PropertyListValue {
  /// The integer, a real cut off toward zero and kept in range, or a text that is one as a whole.
  @inlinable
  package var integerValue: Int {
    switch self {
    case .integer(let value): Int(clamping: value)
    case .boolean(let value): value ? 1 : 0
    case .unsigned(let value): Int(clamping: value)
    case .real(let value): Int(saturating: value)
    case .single(let value): Int(saturating: Double(value))
    case .string(let text): Int(text) ?? 0
    case .date, .data, .uid, .array, .dictionary: 0
    }
  }

  /// The number, or the one that a text begins with.
  @inlinable
  package var doubleValue: Double {
    switch self {
    case .real(let value): value
    case .single(let value): Double(value)
    case .integer(let value): Double(value)
    case .boolean(let value): value ? 1 : 0
    case .unsigned(let value): Double(value)
    case .string: textAsDouble
    case .date, .data, .uid, .array, .dictionary: 0
    }
  }

  /// The number, or the one that a text begins with, rounded once to the nearest `Float`.
  @inlinable
  package var floatValue: Float {
    switch self {
    case .single(let value): value
    case .real(let value): Float(value)
    case .integer(let value): Float(value)
    case .boolean(let value): value ? 1 : 0
    case .unsigned(let value): Float(value)
    case .string: textAsFloat
    case .date, .data, .uid, .array, .dictionary: 0
    }
  }

  /// Whether a number is not zero, or a text is `YES`, `true` (in any case) or `1`.
  @inlinable
  package var boolValue: Bool {
    switch self {
    case .boolean(let value): value
    case .integer(let value): value != 0
    case .unsigned(let value): value != 0
    case .real(let value): value != 0
    case .single(let value): value != 0
    case .string: textAsBool
    case .date, .data, .uid, .array, .dictionary: false
    }
  }

  @usableFromInline
  package var textAsDouble: Double {
    guard case .string(let text) = self else { return 0 }
    return NumericText.real(in: text, as: Double.self)
  }

  @usableFromInline
  package var textAsFloat: Float {
    guard case .string(let text) = self else { return 0 }
    return NumericText.real(in: text, as: Float.self)
  }

  @usableFromInline
  package var textAsBool: Bool {
    guard case .string(let text) = self else { return false }
    let bytes = text.utf8
    return switch bytes.count {
    case 1: bytes.first == UInt8(ascii: "1")
    case 3: bytes.elementsEqual("yes".utf8) { Self.isLetter($0, $1) }
    case 4: bytes.elementsEqual("true".utf8) { Self.isLetter($0, $1) }
    default: false
    }
  }

  private static func isLetter(_ byte: UInt8, _ lowercase: UInt8) -> Bool {
    byte | 0x20 == lowercase
  }
}

/// No value reads as 0 and false.
extension Optional where Wrapped == PropertyListValue {
  @inlinable
  package var integerValue: Int { self?.integerValue ?? 0 }

  @inlinable
  package var doubleValue: Double { self?.doubleValue ?? 0 }

  @inlinable
  package var floatValue: Float { self?.floatValue ?? 0 }

  @inlinable
  package var boolValue: Bool { self?.boolValue ?? false }
}

extension Int {
  /// The real cut off toward zero; what lies outside becomes the nearest integer, NaN 0.
  @inlinable
  package init(saturating real: Double) {
    // The bounds are exact: 2^63 and -2^63 are reals, and every real between them fits.
    if real >= -Double(Int.min) {
      self = .max
    } else if real > Double(Int.min) {
      self.init(real)
    } else {
      self = real.isNaN ? 0 : .min
    }
  }
}
