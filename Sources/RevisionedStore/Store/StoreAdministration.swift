/// What the members of a store say about themselves, and who may do what.
public protocol StoreAdministration: RevisionedStore {
  /// Asks each endpoint by itself, so that one that does not answer is not hidden by the others.
  func memberStatuses() async -> [MemberStatus]

  /// Creates the user and a role of the same name if they are missing, and gives the role exactly
  /// these permissions.
  func setAccess(
    ofUser user: String, reading: [KeyRange], writing: [KeyRange]
  ) async throws(StoreError)
  /// Deletes the user and its role.
  func removeAccess(ofUser user: String) async throws(StoreError)
}

public struct MemberStatus: Equatable, Sendable {
  public struct Health: Equatable, Sendable {
    public let version: String
    public let databaseBytes: Int64
    public let isLeader: Bool
    public let hasLeader: Bool
    public let revision: Int64
    /// The oldest revision whose history is kept; 0 if nothing has ever been compacted.
    public let compactRevision: Int64
    public let alarms: [String]

    public init(
      version: String, databaseBytes: Int64, isLeader: Bool, hasLeader: Bool, revision: Int64,
      compactRevision: Int64, alarms: [String]
    ) {
      self.version = version
      self.databaseBytes = databaseBytes
      self.isLeader = isLeader
      self.hasLeader = hasLeader
      self.revision = revision
      self.compactRevision = compactRevision
      self.alarms = alarms
    }
  }

  public let endpoint: String
  public let health: Result<Health, StoreError>

  public init(endpoint: String, health: Result<Health, StoreError>) {
    self.endpoint = endpoint
    self.health = health
  }
}
