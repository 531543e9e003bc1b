import StrataPropertyList

/// How two states of a domain differ.
struct Difference {
  typealias Sides = (old: PropertyListValue?, new: PropertyListValue?)

  /// The old and new values of the keys that differ.
  private(set) var changes: [String: Sides] = [:]

  var isEmpty: Bool { changes.isEmpty }

  init(from old: [String: PropertyListValue], to new: [String: PropertyListValue]) {
    for (key, value) in old where new[key] != value { changes[key] = (value, new[key]) }
    for (key, value) in new where old[key] == nil { changes[key] = (nil, value) }
  }
}
