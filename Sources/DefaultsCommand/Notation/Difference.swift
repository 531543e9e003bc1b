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
