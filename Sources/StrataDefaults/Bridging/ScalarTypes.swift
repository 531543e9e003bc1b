import Foundation
import StrataPropertyList

/// The types without parts that a property list holds, each with how it is read.
enum ScalarTypes {
  typealias Reader = @Sendable (Any) -> PropertyListValue?

  /// How a thing of a type is read; nil comes out for an integer outside of 64 bits.
  static let readers: [ObjectIdentifier: Reader] = Dictionary(
    uniqueKeysWithValues: [
      integer(Int.self), integer(Int8.self), integer(Int16.self), integer(Int32.self),
      integer(Int64.self), integer(Int128.self), integer(UInt.self), integer(UInt8.self),
      integer(UInt16.self), integer(UInt32.self), integer(UInt64.self), integer(UInt128.self),
      type(Bool.self) { .boolean($0) },
      type(Double.self) { .real($0) },
      type(Float.self) { .single($0) },
      type(CGFloat.self) { .real(Double($0)) },
      type(Decimal.self) { PropertyListValue($0) },
      type(String.self) { .string($0) },
      type(Substring.self) { .string(String($0)) },
      type(Data.self) { .data([UInt8]($0)) },
      type(Date.self) { .date(PropertyListDate($0)) },
    ])

  private static func integer<Integer: FixedWidthInteger & SendableMetatype>(
    _: Integer.Type
  ) -> (ObjectIdentifier, Reader) {
    type(Integer.self) { PropertyListValue(exactly: $0) }
  }

  private static func type<Scalar>(
    _: Scalar.Type, _ value: @escaping @Sendable (Scalar) -> PropertyListValue?
  ) -> (ObjectIdentifier, Reader) {
    (ObjectIdentifier(Scalar.self), { ($0 as? Scalar).flatMap(value) })
  }
}
