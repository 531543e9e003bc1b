import StrataPropertyList

/// Edits that could not be stored: they live in this process until they can be.
///
/// An object, so that a set can see that there are none without a look at the values.
final class UnsavedChanges {
  private(set) var isEmpty = true
  private var replacesAll = false
  private var values: [String: PropertyListValue?] = [:]

  /// Whether the key has a value here, or is removed.
  func holds(_ key: String) -> Bool { replacesAll || values[key] != nil }

  func add(_ changes: ChangeSet) {
    if changes.replacesAll {
      replacesAll = true
      values.removeAll()
    }
    for change in changes.changes { values[change.key] = .some(change.value) }
    isEmpty = values.isEmpty && !replacesAll
  }

  func removeAll() {
    (isEmpty, replacesAll) = (true, false)
    values.removeAll()
  }

  /// All edits as one change set.
  var changeSet: ChangeSet {
    ChangeSet(values.map { Change(key: $0.key, value: $0.value) }, replacesAll: replacesAll)
  }

  /// The same as several change sets of at most so many bytes each; no single edit is split.
  func parts(ofAtMost size: Int) -> [ChangeSet] {
    if isEmpty { return [] }
    var parts: [ChangeSet] = []
    var part: [Change] = []
    var count = 0
    for (key, value) in values {
      let change = Change(key: key, value: value)
      let own = RecordWriter.size(of: change)
      if count + own >= size, !part.isEmpty {
        parts.append(ChangeSet(part, replacesAll: replacesAll && parts.isEmpty))
        (part, count) = ([], 0)
      }
      part.append(change)
      count += own
    }
    parts.append(ChangeSet(part, replacesAll: replacesAll && parts.isEmpty))
    return parts
  }
}
