import Synchronization

/// A store in the memory of one process, for tests and for programs without a server.
///
/// It has etcd's limits. Leases end when `advance(by:)` says that time has passed.
public final class InMemoryStore: RevisionedStore {
  /// The maximum number of operations of a transaction, and of bytes of its keys and values.
  public static let (operationsMax, sizeMax) = (128, 3 << 19)

  private let memory: SharedMemory
  /// Which client of the memory this is.
  private let client: Int

  /// An empty store.
  public init() {
    memory = SharedMemory()
    client = 0
  }

  private init(_ memory: SharedMemory, client: Int) {
    self.memory = memory
    self.client = client
  }

  /// The same store for another client, whose calls succeed while this one's fail.
  public func otherClient() -> InMemoryStore {
    InMemoryStore(memory, client: memory.withLock { memory in memory.addClient() })
  }

  /// What is in these ranges at the present revision.
  public func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    let result = memory.withLock { memory in memory.read(ranges, client) }
    return try result.get()
  }

  /// Makes all changes, if all conditions hold.
  public func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    let result = memory.withLock { memory in memory.commit(transaction, client) }
    return try result.get()
  }

  /// Reports changes after a revision, until the task is cancelled or the client fails.
  public func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    guard revision >= 0, revision < .max else {
      throw .refused("there is no revision \(revision)")
    }
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = memory.withLock { memory in memory.addWatcher(continuation, client) }
    defer { memory.withLock { memory in memory.removeWatcher(id) } }
    var (last, isFirst) = (revision, true)
    var iterator = changes.makeAsyncIterator()
    while true {
      let end = last
      let batch = try memory.withLock { memory in memory.batch(ranges, after: end, of: id) }.get()
      if isFirst || !batch.events.isEmpty { await receive(batch) }
      isFirst = false
      last = batch.revision
      if await iterator.next() == nil { throw .cancelled }
    }
  }

  /// Grants a lease, whose time passes with `advance(by:)`.
  public func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try memory.withLock { memory in memory.grantLease(seconds, client) }.get()
  }

  /// Starts the lease's time anew.
  public func renewLease(_ lease: Int64) async throws(StoreError) {
    try memory.withLock { memory in memory.renewLease(lease, client) }.get()
  }

  /// Ends the lease, and deletes its keys.
  public func revokeLease(_ lease: Int64) async throws(StoreError) {
    try memory.withLock { memory in memory.revokeLease(lease, client) }.get()
  }

  // -- What a server does by itself

  /// Forgets the history up to a revision.
  public func compact(to revision: Int64) {
    memory.withLock { memory in memory.compact(to: revision) }
  }

  /// Forgets everything and begins with the first revision, as servers do whose disks were lost.
  ///
  /// - Parameter isSame: whether it still has the number that tells it from other stores.
  public func startAnew(asSame isSame: Bool = false) {
    memory.withLock { memory in memory.startAnew(asSame: isSame) }
  }

  /// Lets time pass, at whose end leases end.
  public func advance(by seconds: Int64) {
    memory.withLock { memory in memory.advance(by: seconds) }
  }

  /// Has every call and watch of this client fail from now on; nil lets them succeed again.
  public func fail(with error: StoreError?) {
    memory.withLock { memory in memory.fail(client, with: error) }
  }
}

/// The memory that the clients of a store share.
private final class SharedMemory: Sendable {
  private let memory = Mutex(Memory())

  func withLock<Value: Sendable>(_ body: (inout sending Memory) -> sending Value) -> Value {
    memory.withLock(body)
  }
}
