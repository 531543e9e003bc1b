package import StrataPropertyList

/// Edits that are applied together: all of them or none, in every process and after any crash.
public struct ChangeSet: Sendable, Hashable {
  /// Whether the domain loses all its keys before the changes are applied.
  public var replacesAll: Bool
  /// The edits, in order: of several for one key, the last one counts.
  public var changes: [Change]

  /// These edits together.
  public init(_ changes: [Change], replacesAll: Bool = false) {
    self.changes = changes
    self.replacesAll = replacesAll
  }

  /// The edits that set these values.
  @inline(never)
  package init(
    setting values: [String: PropertyListValue], replacesAll: Bool = false
  ) {
    var changes: [Change] = []
    changes.reserveCapacity(values.count)
    for (key, value) in values { changes.append(Change(key: key, value: value)) }
    self.init(changes, replacesAll: replacesAll)
  }

  var isEmpty: Bool { changes.isEmpty && !replacesAll }

  /// The same with only the edit that counts for each key.
  var withoutOverruled: ChangeSet {
    guard changes.count > 1 else { return self }
    var seen: Set<String> = []
    let last = changes.reversed().filter { seen.insert($0.key).inserted }
    return last.count == changes.count
      ? self : ChangeSet(last.reversed(), replacesAll: replacesAll)
  }
}
