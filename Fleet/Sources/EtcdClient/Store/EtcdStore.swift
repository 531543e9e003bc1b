public import RevisionedStore

/// A store that is kept by etcd.
///
/// ```swift
/// let store = try EtcdStore(StoreLocation(endpoints: ["http://localhost:2379"]))
/// let snapshot = try await store.read([.prefix("/cfg/v1/")])
/// ```
public final class EtcdStore: RevisionedStore {
  let members: Members

  /// - Throws: if an endpoint is no address, or a certificate can't be used.
  public convenience init(_ location: StoreLocation) throws(StoreError) {
    try self.init(location, Patience())
  }

  init(_ location: StoreLocation, _ patience: Patience) throws(StoreError) {
    members = try Members(location, patience)
  }

  /// What is in these ranges, all at one revision.
  public func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    try await PagedRead(ranges) { [members] (request) async throws(StoreError) in
      try await members.ask("/etcdserverpb.KV/Txn", request, isChange: false)
    }.snapshot()
  }

  /// Makes all changes of a transaction, or none; when it returns, they are on a majority's disks.
  public func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    let answer = try TransactionAnswer(
      try await members.ask(
        "/etcdserverpb.KV/Txn", EtcdMessages.commit(transaction), isChange: true))
    let revision = answer.header.revision
    return answer.succeeded ? .committed(revision: revision) : .conflict(revision: revision)
  }

  /// Reports each change after a revision, until the stream ends.
  public func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await watch(ranges, afterEach: ranges.map { _ in revision }, receive)
  }

  /// Reports each change after a revision of its range, until the stream ends.
  public func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    guard !ranges.isEmpty, ranges.count == revisions.count,
      revisions.allSatisfy({ $0 >= 0 && $0 < .max })
    else {
      throw .refused("there are no revisions \(revisions)")
    }
    let member = members.current
    do throws(StoreError) {
      let call = try await members.stream("/etcdserverpb.Watch/Watch", member)
      let watch = EtcdWatch(ranges, starts: revisions, call, within: members.patience.watch)
      try await watch.run(receive) { () async throws(StoreError) in
        try await members.present(ranges[0], of: member)
      }
    } catch {
      members.didFail(member, error)
      throw Task.isCancelled ? .cancelled : members.explanation(of: error, from: member)
    }
  }

  // -- Leases

  /// Grants a lease.
  public func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    let request = EtcdMessages.fields { $0.add(1, seconds) }
    let answer = try await members.ask(
      "/etcdserverpb.Lease/LeaseGrant", request, isChange: true)
    var lease: Int64 = 0
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      if field == 2 { lease = value.integer }
    }
    return lease
  }

  /// Starts the lease's time anew.
  public func renewLease(_ lease: Int64) async throws(StoreError) {
    // A stream for etcd, of which one request and one answer are needed.
    let answer = try await members.ask(
      "/etcdserverpb.Lease/LeaseKeepAlive", EtcdMessages.fields { $0.add(1, lease) },
      isChange: false)
    var rest: Int64 = 0
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      if field == 3 { rest = value.integer }
    }
    if rest <= 0 { throw .noLease }
  }

  /// Ends the lease, and deletes its keys.
  public func revokeLease(_ lease: Int64) async throws(StoreError) {
    let request = EtcdMessages.fields { $0.add(1, lease) }
    _ = try await members.ask("/etcdserverpb.Lease/LeaseRevoke", request, isChange: true)
  }
}
