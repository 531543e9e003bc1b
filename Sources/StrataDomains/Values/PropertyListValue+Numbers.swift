public import StrataPropertyList

/// Reads a stored value as a number or a Boolean: every value has one, if only 0 or false.
///
/// Conversions between numbers are inlinable and do not allocate; texts are parsed elsewhere, which
/// keeps the fast path small. A UID, a reference in a keyed archive, reads as 0 like a container.
extension PropertyListValue {
  /// The integer; a real truncated toward zero and clamped; or a text that as a whole is an
  /// integer.
  @inlinable
  package var integerValue: Int {
    switch self {
    case .integer(let value): Int(clamping: value)
    case .boolean(let value): value ? 1 : 0
    case .unsigned(let value): Int(clamping: value)
    case .real(let value): Int(saturating: value)
    case .single(let value): Int(saturating: Double(value))
    case .string: textAsInteger
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

  /// Whether a number is nonzero, or a text is `YES`, `true` or `1`, ignoring case.
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
  package var textAsInteger: Int {
    guard case .string(let text) = self else { return 0 }
    return Int(text) ?? 0
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
    return BooleanText.value(of: text) ?? false
  }
}

/// A missing value reads as 0 and false.
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
  /// The real truncated toward zero and clamped to the range of `Int`; NaN becomes 0.
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
