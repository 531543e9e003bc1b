// What `NSNumber` conforms to on Apple's platforms, and not in the toolchain's Foundation.
//
// Both concern all numbers of the process, not only those that come from defaults. Nothing else
// does the same: an `NSNumber` is made by a factory, so that instances of a subclass can't be made,
// and of Swift's own numbers none casts to other numbers (see `Bridge.object`). What changes for
// other numbers is what Apple's platforms do: they equal Swift's in an `AnyHashable`, and from such
// a one they come out as Swift's.

public import Foundation
import StrataPropertyList

extension NSNumber: @retroactive _HasCustomAnyHashableRepresentation {
  /// The Swift value that represents the number in an `AnyHashable`, where it equals Swift's
  /// numbers of the same value and has their hash: `Int` or `UInt` for an integer, `Bool` for a
  /// Boolean.
  public func _toCustomAnyHashable() -> AnyHashable? {
    // Foundation's decimal numbers have more digits than any of Swift's types.
    if self is NSDecimalNumber { return nil }
    return switch PropertyListValue(self) {
    case .boolean(let flag): AnyHashable(flag)
    // Not as `Int64`, which does not cast to `Int`.
    case .integer(let number): AnyHashable(Int(number))
    case .unsigned(let number): AnyHashable(UInt(number))
    case .real(let number): AnyHashable(number)
    case .single(let number): AnyHashable(number)
    default: nil
    }
  }
}

extension NSNumber: @retroactive CVarArg {
  // Safety: the caller retains the arguments for as long as the list of them exists.
  /// The number as an argument for `%@`, as in `String(format: "%@", number)`.
  public var _cVarArgEncoding: [Int] {
    _encodeBitsAsWords(Unmanaged.passUnretained(self).toOpaque())
  }
}
