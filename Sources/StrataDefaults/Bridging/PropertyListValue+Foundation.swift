// The exact values of Foundation's numbers and dates.

import Foundation
import StrataPropertyList

extension PropertyListValue {
  /// The class of the two numbers that are Booleans: one that Foundation does not name.
  private static let booleanClass: AnyClass = Swift.type(of: NSNumber(value: true))

  /// The number as it is: its own type says more than what it can be cast to.
  init(_ number: NSNumber) {
    if Swift.type(of: number) == Self.booleanClass {
      self = .boolean(number.boolValue)
      return
    }
    switch String(cString: number.objCType) {
    case "d": self = .real(number.doubleValue)
    case "f": self = .single(number.floatValue)
    case "Q": self = PropertyListValue(exactly: number.uint64Value) ?? .real(number.doubleValue)
    default: self = .integer(number.int64Value)
    }
  }

  /// The integer that the number is, where 64 bits can hold it; else the nearest real.
  ///
  /// It goes through its digits, because Foundation's own way to a real does not always end at the
  /// nearest one.
  init(_ decimal: Decimal) {
    let digits = decimal.description
    if let integer = Int64(digits) {
      self = .integer(integer)
    } else if let integer = UInt64(digits) {
      self = .unsigned(integer)
    } else {
      self = .real(Double(digits) ?? .nan)
    }
  }

  /// The integer, unless it takes more than 64 bits.
  init?(exactly integer: some FixedWidthInteger) {
    if let integer = Int64(exactly: integer) {
      self = .integer(integer)
    } else if let integer = UInt64(exactly: integer) {
      self = .unsigned(integer)
    } else {
      return nil
    }
  }
}

extension PropertyListDate {
  init(_ date: Date) { self.init(secondsSinceReference: date.timeIntervalSinceReferenceDate) }
}
