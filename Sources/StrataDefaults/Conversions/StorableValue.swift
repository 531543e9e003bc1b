public import StrataPropertyList

/// A value that a typed key can have: two functions, to what is stored and back.
///
/// Everything that a property list holds conforms, and so do optionals, arrays, sets and
/// dictionaries of such values, `URL`, `UUID`, `Decimal` and `Duration`. An enum with raw values
/// and a `Codable` type need nothing but to say that they do:
///
/// ```swift
/// enum Theme: String, StorableValue { case system, light, dark }
/// struct Layout: Codable, StorableValue { var columns: Int }  // stored as a dictionary
/// ```
///
/// Of a type that is both, the raw value is stored. For any other type, write the two functions:
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
  /// The value that a stored one says; nil when it says none.
  init?(stored: PropertyListValue)

  /// What is to be stored; nil to store nothing.
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

/// What can be encoded: as arrays, dictionaries and plain values, for people to read and change.
extension StorableValue where Self: Codable {
  /// The value that is decoded from what is stored.
  public init?(stored: PropertyListValue) {
    do {
      self = try StoredDecoder.decode(Self.self, from: stored)
    } catch {
      return nil  // of another shape: who reads is told that it is no such value
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
