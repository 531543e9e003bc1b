public import StrataPropertyList

/// A value that a typed key can have: it converts to a stored value and back.
///
/// All property-list types conform, and so do optionals, arrays, sets and dictionaries of such
/// values, `URL`, `UUID`, `Decimal` and `Duration`. Enums with raw values and `Codable` types only
/// need to declare the conformance:
///
/// ```swift
/// enum Theme: String, StorableValue { case system, light, dark }
/// struct Layout: Codable, StorableValue { var columns: Int }  // stored as a dictionary
/// ```
///
/// A type that is both is stored as its raw value. For any other type, implement the two
/// requirements:
///
/// ```swift
/// struct Color: StorableValue {
///   var rgb: Int
///   init?(stored: PropertyListValue) {
///     guard case .integer(let number) = stored else { return nil }
///     rgb = Int(number)
///   }
///   func stored() -> PropertyListValue? { .integer(Int64(rgb)) }
/// }
/// ```
// `StorableValue`, the coders and what containers are stored as name each other: a value is encoded
// by members that are such values themselves.
public protocol StorableValue: Sendable {
  /// Converts a stored value; nil if it is not one of this type.
  init?(stored: PropertyListValue)

  /// The value to store; nil to store nothing.
  func stored() throws -> PropertyListValue?
}

/// Raw values.
extension StorableValue where Self: RawRepresentable, RawValue: StorableValue {
  /// The value whose raw value is stored.
  @inlinable
  public init?(stored: PropertyListValue) {
    guard let raw = RawValue(stored: stored) else { return nil }
    self.init(rawValue: raw)
  }

  /// The raw value.
  @inlinable
  public func stored() throws -> PropertyListValue? { try rawValue.stored() }
}

/// Codable types are stored as arrays, dictionaries and plain values, for people to read and
/// change.
extension StorableValue where Self: Codable {
  /// The value that is decoded from what is stored.
  public init?(stored: PropertyListValue) {
    do {
      self = try StoredDecoder.decode(Self.self, from: stored)
    } catch {
      return nil  // of another shape, which the reader reports as a mismatch
    }
  }

  /// The value, encoded.
  public func stored() throws -> PropertyListValue? { try StoredEncoder.encode(self) }
}

/// The raw value wins.
extension StorableValue where Self: RawRepresentable & Codable, RawValue: StorableValue {
  /// The value whose raw value is stored.
  @inlinable
  public init?(stored: PropertyListValue) {
    guard let raw = RawValue(stored: stored) else { return nil }
    self.init(rawValue: raw)
  }

  /// The raw value.
  @inlinable
  public func stored() throws -> PropertyListValue? { try rawValue.stored() }
}
