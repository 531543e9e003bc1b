// What callers get for a stored value.

import Foundation
package import StrataPropertyList

extension Bridge {
  /// The object for a value, in the form from which, on Linux, every cast works that works on
  /// Apple's platforms.
  ///
  /// Each form was tried in `Any`:
  ///
  /// | in `Any` | casts to | not to |
  /// |---|---|---|
  /// | `NSNumber` | every number that says the same, `Bool` for 0 and 1, `NSNumber` | `CGFloat` |
  /// | `Int`, `Double`, `Bool` | itself, `NSNumber` | any other number |
  /// | `String` | `String`, `NSString` | |
  /// | `Data`, `Date` | itself, `NSData` or `NSDate` | |
  /// | `[Any]` | `NSArray`, `[Any]`, `[E]` where each element casts to `E` | |
  /// | `[String: Any]` | `NSDictionary`, `[AnyHashable: Any]`, `[String: E]` likewise | |
  ///
  /// So numbers and Booleans are `NSNumber`s, which print as on Apple's platforms (`true` as 1),
  /// except that a whole real keeps its `.0`; all else is Swift's own, which prints, compares and
  /// hashes as people expect, also in an `AnyHashable`, and can't be changed behind our back.
  package static func object(of value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let flag): NSNumber(value: flag)
    case .integer(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .real(let number): NSNumber(value: number)
    case .single(let number): NSNumber(value: number)
    case .date(let date): Date(timeIntervalSinceReferenceDate: date.secondsSinceReference)
    case .data(let bytes): Data(bytes)
    case .string(let text): text
    // No class stands for one on Linux; this is how the XML notation says it.
    case .uid(let number): ["CF$UID": NSNumber(value: number)] as [String: Any]
    case .array(let items): items.map { object(of: $0) }
    case .dictionary(let items): items.mapValues { object(of: $0) }
    }
  }
}
