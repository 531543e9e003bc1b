/// One value that a property list can hold, with its exact type.
///
/// Equality is exact: `.boolean(true)` is not `.integer(1)`, `.real(1)` is not `.integer(1)`, and
/// two reals are equal if their bits are, so that a NaN equals itself and `-0.0` is not `0.0`.
public enum PropertyListValue: Sendable {
  /// True or false, which is not the integer 1 or 0.
  case boolean(Bool)
  /// An integer, up to `Int64.max`.
  case integer(Int64)
  /// An integer greater than `Int64.max`; smaller ones are always `.integer`.
  case unsigned(UInt64)
  /// A number in double precision.
  case real(Double)
  /// A number in single precision, which only the binary format distinguishes.
  case single(Float)
  /// A point in time.
  case date(PropertyListDate)
  /// Bytes.
  case data([UInt8])
  /// Text.
  case string(String)
  /// A reference in a keyed archive, which is read and preserved.
  case uid(UInt64)
  /// Values in order.
  case array([PropertyListValue])
  /// Values by key.
  case dictionary([String: PropertyListValue])
}
