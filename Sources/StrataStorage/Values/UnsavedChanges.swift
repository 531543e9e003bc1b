import StrataPropertyList

/// Edits that could not be stored: they live in this process until they can be.
///
/// An object, so that a set can see that there are none without a look at the values.
final class UnsavedChanges {
  private(set) var isEmpty = true
  private var replacesAll = false
  private var values: [String: PropertyListValue?] = [:]
  /// The keys that the parent of this process set before the fork: it has these edits, too. Nil
  /// if there are none.
  private var inheritedKeys: Set<String>?
  private var inheritsReplacement = false

  /// Whether there are edits by the parent.
  var isInherited: Bool { inheritedKeys != nil }

  /// In a child of `fork`: notes that all of it is by the parent.
  func inherit() {
    if !isEmpty { (inheritedKeys, inheritsReplacement) = (Set(values.keys), replacesAll) }
  }

  /// Forgets the edits by the parent: it may have stored them by now, and newer ones after them.
  func dropInherited() {
    guard let keys = inheritedKeys else { return }
    if inheritsReplacement { replacesAll = false }
    for key in keys { values[key] = nil }
    (inheritedKeys, inheritsReplacement) = (nil, false)
    isEmpty = values.isEmpty && !replacesAll
  }

  /// Whether the key has a value here, or is removed.
  func holds(_ key: String) -> Bool { replacesAll || values[key] != nil }

  func add(_ changes: ChangeSet) {
    if changes.replacesAll {
      removeAll()
      replacesAll = true
    }
    for change in changes.changes {
      values[change.key] = .some(change.value)
      inheritedKeys?.remove(change.key)
    }
    isEmpty = values.isEmpty && !replacesAll
  }

  func removeAll() {
    (isEmpty, replacesAll) = (true, false)
    (inheritedKeys, inheritsReplacement) = (nil, false)
    values.removeAll()
  }

  /// All edits as one change set.
  var changeSet: ChangeSet {
    ChangeSet(values.map { Change(key: $0.key, value: $0.value) }, replacesAll: replacesAll)
  }
}
