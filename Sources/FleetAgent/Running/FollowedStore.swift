import RevisionedStore

/// A store as an agent follows it: the agent learns of each refusal before the follower does, which
/// tries again with the same ranges.
struct FollowedStore: RevisionedStore {
  let store: any RevisionedStore
  /// What to tell the follower instead of an error.
  let cause: @Sendable (StoreError) async -> StoreError

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    do throws(StoreError) {
      return try await store.read(ranges)
    } catch {
      throw await cause(error)
    }
  }

  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    try await store.commit(transaction)
  }

  func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    do throws(StoreError) {
      try await store.watch(ranges, after: revision, receive)
    } catch {
      throw await cause(error)
    }
  }

  func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    do throws(StoreError) {
      try await store.watch(ranges, afterEach: revisions, receive)
    } catch {
      throw await cause(error)
    }
  }

  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await store.grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await store.renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await store.revokeLease(lease) }
}
