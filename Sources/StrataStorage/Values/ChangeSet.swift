/// Edits that are applied together: all of them or none, in every process and after any crash.
public struct ChangeSet: Sendable, Hashable {
  /// Whether the domain loses every key that it had before the changes are applied.
  public var replacesAll: Bool
  /// The edits, in order.
  public var changes: [Change]

  /// These edits together.
  public init(_ changes: [Change], replacesAll: Bool = false) {
    self.changes = changes
    self.replacesAll = replacesAll
  }

  var isEmpty: Bool { changes.isEmpty && !replacesAll }
}
