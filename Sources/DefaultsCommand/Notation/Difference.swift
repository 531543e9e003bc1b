package import StrataPropertyList

/// How two states of a domain differ.
package struct Difference {
  package typealias Sides = (old: PropertyListValue?, new: PropertyListValue?)

  /// The old and new values of the keys that differ.
  package private(set) var changes: [String: Sides] = [:]

  package var isEmpty: Bool { changes.isEmpty }

  package init(from old: [String: PropertyListValue], to new: [String: PropertyListValue]) {
    for (key, value) in old where new[key] != value { changes[key] = (value, new[key]) }
    for (key, value) in new where old[key] == nil { changes[key] = (nil, value) }
  }
}

extension Difference {
  /// Both values on a line each. Values of two types, and moments within one second, may be one
  /// text: then each says more.
  static func texts(of sides: Sides) throws(Failure) -> (old: String?, new: String?) {
    let old = try sides.old.map { (value) throws(Failure) in try LineText.text(of: value) }
    let new = try sides.new.map { (value) throws(Failure) in try LineText.text(of: value) }
    guard let old, let new, old == new else { return (old, new) }
    return (old + detail(of: sides.old), new + detail(of: sides.new))
  }

  private static func detail(of value: PropertyListValue?) -> String {
    switch value {
    case .string: " (string)"
    case .single: " (single precision)"
    case .real: " (double precision)"
    case .date(let date): " (\(date.secondsSinceReference) s since 2001)"
    case .uid: " (reference)"
    default: " (with other types or moments inside)"
    }
  }
}
