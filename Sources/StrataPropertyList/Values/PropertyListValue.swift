/// One value that a property list can hold, with its exact type.
///
/// Equality is exact: `.boolean(true)` is not `.integer(1)`, `.real(1)` is not `.integer(1)`, and
/// two reals are equal if their bits are, so that a NaN equals itself and `-0.0` is not `0.0`.
public enum PropertyListValue: Sendable {
  case boolean(Bool)
  case integer(Int64)
  /// An integer greater than `Int64.max`; smaller ones are always `.integer`.
  case unsigned(UInt64)
  case real(Double)
  case single(Float)
  case date(PropertyListDate)
  case data([UInt8])
  case string(String)
  /// A reference in a keyed archive, which is read and preserved.
  case uid(UInt64)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
}
