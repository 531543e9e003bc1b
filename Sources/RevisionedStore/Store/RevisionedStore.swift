/// A store whose every change has a revision, and which tells those who were away what they missed.
public protocol RevisionedStore: Sendable {
  /// What is in these ranges, which do not overlap, all at one revision.
  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot

  /// Makes all changes of a transaction, or none.
  ///
  /// When it returns, the changes are durable.
  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult

  /// Reports each change in these ranges that was made after a revision, in order, once.
  ///
  /// The first batch, which may have no events, says that the watch works. The next batch is
  /// reported when `receive` has returned. The call ends only by throwing: `compacted` if changes
  /// after that revision are no longer known, `rebuilt` if the store has not come as far as that
  /// revision, `cancelled` if the task was cancelled, and otherwise why the watch can't go on. To
  /// continue, watch after the revision of the last batch: nothing is missed, and with one range
  /// nothing is repeated.
  func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never

  /// Does the same with a revision for each range, in their order. To continue a watch of several
  /// ranges, watch after the revisions of its last batch: nothing is missed or repeated.
  ///
  /// The revisions belong to who watches, not to the store, which may have other watches of these
  /// ranges. A store whose ranges are always equally far needs no implementation of its own.
  func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never

  /// Keys that are put with the lease are deleted when it ends, after this time without renewal.
  func grantLease(seconds: Int64) async throws(StoreError) -> Int64
  /// Starts the lease's time anew.
  func renewLease(_ lease: Int64) async throws(StoreError)
  /// Ends the lease, and deletes its keys.
  func revokeLease(_ lease: Int64) async throws(StoreError)
}
