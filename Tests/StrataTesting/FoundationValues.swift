package import Foundation
package import StrataPropertyList

/// Values as the toolchain's `PropertyListSerialization` has them, in both directions.
package enum FoundationValues {
  /// A value of the toolchain that ours has no case for.
  package struct Unknown: Error {
    package var type: String
  }

  package static func object(_ value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let value): value
    case .integer(let value): NSNumber(value: value)
    case .unsigned(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .single(let value): NSNumber(value: value)
    case .date(let date): Date(timeIntervalSinceReferenceDate: date.secondsSinceReference)
    case .data(let data): Data(data)
    case .string(let string): string
    case .uid(let number): ["CF$UID": NSNumber(value: number)]
    case .array(let elements): elements.map { object($0) }
    case .dictionary(let entries): entries.mapValues { object($0) }
    }
  }

  package static func value(_ object: Any) throws -> PropertyListValue {
    switch object {
    case let value as Bool where type(of: object) == Bool.self: .boolean(value)
    case let string as String: .string(string)
    case let data as Data: .data([UInt8](data))
    case let date as Date:
      .date(PropertyListDate(secondsSinceReference: date.timeIntervalSinceReferenceDate))
    case let number as NSNumber: value(number)
    case let elements as [Any]: .array(try elements.map { try value($0) })
    case let entries as [String: Any]: .dictionary(try entries.mapValues { try value($0) })
    default: throw Unknown(type: "\(type(of: object))")
    }
  }

  private static func value(_ number: NSNumber) -> PropertyListValue {
    switch String(cString: number.objCType) {
    case "f": .single(number.floatValue)
    case "d": .real(number.doubleValue)
    case "Q": PropertyListValue(magnitude: number.uint64Value)
    default: .integer(number.int64Value)
    }
  }

  package static func encode(
    _ value: PropertyListValue, _ format: PropertyListSerialization.PropertyListFormat
  ) throws -> [UInt8] {
    [UInt8](
      try PropertyListSerialization.data(
        fromPropertyList: object(value), format: format, options: 0))
  }

  package static func decode(_ bytes: [UInt8]) throws -> PropertyListValue {
    try value(PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil))
  }
}
