import RevisionedStore

/// A store that is connected to when it is first needed, and again as long as that fails: a
/// certificate that is not there yet, or has expired, may be renewed while an agent runs.
actor LateStore: RevisionedStore {
  private let connect: @Sendable () throws(StoreError) -> any RevisionedStore
  private var connected: (any RevisionedStore)?

  init(_ connect: @escaping @Sendable () throws(StoreError) -> any RevisionedStore) {
    self.connect = connect
  }

  private func store() throws(StoreError) -> any RevisionedStore {
    if let connected { return connected }
    let store = try connect()
    connected = store
    return store
  }

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    try await store().read(ranges)
  }

  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    try await store().commit(transaction)
  }

  nonisolated func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await store().watch(ranges, after: revision, receive)
  }

  nonisolated func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await store().watch(ranges, afterEach: revisions, receive)
  }

  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await store().grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await store().renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await store().revokeLease(lease) }
}
