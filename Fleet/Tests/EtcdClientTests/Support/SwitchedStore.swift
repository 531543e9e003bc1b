import RevisionedStore
import Synchronization

/// An address at which another store can appear.
final class SwitchedStore: RevisionedStore {
  private let current: Mutex<any RevisionedStore>

  init(_ store: any RevisionedStore) { current = Mutex(store) }

  func change(to store: any RevisionedStore) { current.withLock { $0 = store } }

  private var store: any RevisionedStore { current.withLock { $0 } }

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    try await store.read(ranges)
  }

  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    try await store.commit(transaction)
  }

  func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await store.watch(ranges, after: revision, receive)
  }

  func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await store.watch(ranges, afterEach: revisions, receive)
  }

  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await store.grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await store.renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await store.revokeLease(lease) }
}
