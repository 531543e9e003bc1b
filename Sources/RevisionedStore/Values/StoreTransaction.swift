/// Changes that are made together, if all conditions hold, or not at all.
public struct StoreTransaction: Equatable, Sendable {
  /// What must be so for the changes to be made.
  public enum Condition: Equatable, Sendable {
    /// The key was last set by this revision; 0 if it does not exist.
    case revision(of: String, is: Int64)
    /// No key that is in the range was set after this revision.
    ///
    /// A key that was deleted since is not noticed.
    case unchanged(KeyRange, since: Int64)
  }

  /// One change.
  public enum Operation: Equatable, Sendable {
    /// Gives the key a value, which ends with the lease.
    case put(key: String, value: [UInt8], lease: Int64? = nil)
    /// Deletes all keys in the range.
    case delete(KeyRange)
  }

  /// At most 128.
  public var conditions: [Condition]
  /// At most 128, and no key twice.
  public var operations: [Operation]

  /// Creates a transaction.
  public init(conditions: [Condition] = [], operations: [Operation]) {
    self.conditions = conditions
    self.operations = operations
  }
}

/// What became of a transaction.
public enum CommitResult: Equatable, Sendable {
  /// The changes were made, with this revision, and are on the disks of a majority.
  case committed(revision: Int64)
  /// A condition did not hold, and nothing was changed.
  case conflict(revision: Int64)
}
