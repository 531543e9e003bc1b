import StrataPropertyList

/// In what two states of a domain differ.
struct Difference {
  /// What a key had and has, where that is not the same.
  private(set) var changes: [String: (old: PropertyListValue?, new: PropertyListValue?)] = [:]

  var isEmpty: Bool { changes.isEmpty }

  init(from old: [String: PropertyListValue], to new: [String: PropertyListValue]) {
    for (key, value) in old where new[key] != value { changes[key] = (value, new[key]) }
    for (key, value) in new where old[key] == nil { changes[key] = (nil, value) }
  }
}
