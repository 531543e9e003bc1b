/// What the members of a store say about themselves, and who may do what.
public protocol StoreAdministration: RevisionedStore {
  /// Asks each endpoint by itself, so that one that does not answer is not hidden by the others.
  func memberStatuses() async -> [MemberStatus]

  /// Of this client's files: its own certificate, and the authorities that it believes.
  func certificates() -> [CertificateStatus]

  /// Creates the user and a role of the same name if they are missing, and gives the role exactly
  /// these permissions.
  func setAccess(
    ofUser user: String, reading: [KeyRange], writing: [KeyRange]
  ) async throws(StoreError)
  /// Deletes the user and its role.
  func removeAccess(ofUser user: String) async throws(StoreError)
}

extension StoreAdministration {
  /// None, for a store without.
  public func certificates() -> [CertificateStatus] { [] }
}

/// What one member of a store says of itself.
public struct MemberStatus: Equatable, Sendable {
  /// What a member that answers says.
  public struct Health: Equatable, Sendable {
    /// Of the server's program, such as `3.5.21`.
    public let version: String
    /// The size of its file.
    public let databaseBytes: Int64
    /// How much of it is in use: the rest is free after it is defragmented; 0 if it is not known.
    public let databaseBytesInUse: Int64
    /// How large the file may be; 0 if the member does not say it.
    public let quotaBytes: Int64
    /// Whether it only copies what the others decide.
    public let isLearner: Bool
    /// Whether it leads the others.
    public let isLeader: Bool
    /// Whether it knows who leads; without, it can change nothing.
    public let hasLeader: Bool
    /// The last revision that it has.
    public let revision: Int64
    /// The oldest revision whose history is kept; 0 if nothing has ever been compacted,
    /// and -1 if who asks may not know, or the member can't say it.
    public let compactRevision: Int64
    /// What it has raised an alarm about, such as `NOSPACE`.
    public let alarms: [String]

    /// Creates what a member says.
    public init(
      version: String, databaseBytes: Int64, databaseBytesInUse: Int64 = 0, quotaBytes: Int64 = 0,
      isLearner: Bool = false, isLeader: Bool, hasLeader: Bool, revision: Int64,
      compactRevision: Int64, alarms: [String]
    ) {
      self.version = version
      self.databaseBytes = databaseBytes
      self.databaseBytesInUse = databaseBytesInUse
      self.quotaBytes = quotaBytes
      self.isLearner = isLearner
      self.isLeader = isLeader
      self.hasLeader = hasLeader
      self.revision = revision
      self.compactRevision = compactRevision
      self.alarms = alarms
    }
  }

  /// As it was given.
  public let endpoint: String
  /// Why it did not answer, or what it says.
  public let health: Result<Health, StoreError>

  /// Creates a status.
  public init(endpoint: String, health: Result<Health, StoreError>) {
    self.endpoint = endpoint
    self.health = health
  }
}
