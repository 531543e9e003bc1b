import StrataPropertyList

/// Edits that could not be stored: they live in this process until they can.
struct Unstored: Sendable {
  private var replacesAll = false
  private var values: [String: PropertyListValue?] = [:]

  var isEmpty: Bool { values.isEmpty && !replacesAll }

  mutating func add(_ changes: ChangeSet) {
    if changes.replacesAll {
      replacesAll = true
      values.removeAll()
    }
    for change in changes.changes { values[change.key] = .some(change.value) }
  }

  mutating func removeAll() { self = Unstored() }

  /// All edits as one change set.
  var changeSet: ChangeSet {
    ChangeSet(values.map { Change(key: $0.key, value: $0.value) }, replacesAll: replacesAll)
  }
}
