/// What a store in memory has, under its lock.
struct Memory {
  private struct Lease {
    var seconds: Int64
    var end: Int64
  }

  private var identity = UInt64.random(in: 1 ... .max)
  private var revision: Int64 = 1
  private var values: [String: StoredValue] = [:]
  private var leaseOfKey: [String: Int64] = [:]
  private var history: [WatchBatch.Event] = []
  private var compacted: Int64 = 0
  private var clientCount = 1
  /// Why the calls of a client fail.
  private var failures: [Int: StoreError] = [:]
  private var watchers: [Int: (client: Int, continuation: AsyncStream<Void>.Continuation)] = [:]
  /// Watchers that were there when the calls of their client began to fail.
  private var ended: [Int: StoreError] = [:]
  private var nextWatcher = 0
  private var leases: [Int64: Lease] = [:]
  private var nextLease: Int64 = 1
  private var now: Int64 = 0

  mutating func addClient() -> Int {
    defer { clientCount += 1 }
    return clientCount
  }

  // -- Reading and changing

  func read(_ ranges: [KeyRange], _ client: Int) -> Result<StoreSnapshot, StoreError> {
    if let failure = failures[client] { return .failure(failure) }
    let found = values.values.filter { value in ranges.contains { $0.contains(value.key) } }
    return .success(
      StoreSnapshot(
        revision: revision,
        values: found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) },
        store: identity))
  }

  mutating func commit(
    _ transaction: StoreTransaction, _ client: Int
  ) -> Result<CommitResult, StoreError> {
    if let failure = failures[client] { return .failure(failure) }
    if let refusal = Self.refusal(of: transaction) { return .failure(refusal) }
    guard transaction.conditions.allSatisfy(holds) else {
      return .success(.conflict(revision: revision))
    }
    for case .put(_, _, let lease?) in transaction.operations where leases[lease] == nil {
      return .failure(.noLease)
    }
    let next = revision + 1
    var events: [WatchBatch.Event] = []
    for operation in transaction.operations {
      switch operation {
      case .put(let key, let value, let lease):
        let stored = StoredValue(key: key, value: value, revision: next)
        values[key] = stored
        leaseOfKey[key] = lease
        events.append(.put(stored))
      case .delete(let range): events += remove(range, at: next)
      }
    }
    finish(events, at: next)
    return .success(.committed(revision: revision))
  }

  private static func refusal(of transaction: StoreTransaction) -> StoreError? {
    let operations = transaction.operations
    if max(operations.count, transaction.conditions.count) > InMemoryStore.operationsMax {
      return .tooLarge(
        "a transaction has at most \(InMemoryStore.operationsMax) operations, and as many "
          + "conditions")
    }
    var (size, keys) = (0, Set<String>())
    for case .put(let key, let value, _) in operations {
      size += key.utf8.count + value.count
      if key.isEmpty { return .refused("a key is not empty") }
      if !keys.insert(key).inserted { return .refused("the key \(key) is changed twice") }
    }
    for case .delete(let range) in operations where keys.contains(where: range.contains) {
      return .refused("a key is both put and deleted")
    }
    return size > InMemoryStore.sizeMax
      ? .tooLarge("a transaction has at most \(InMemoryStore.sizeMax) bytes, this one \(size)")
      : nil
  }

  private func holds(_ condition: StoreTransaction.Condition) -> Bool {
    switch condition {
    case .revision(let key, let expected): values[key]?.revision ?? 0 == expected
    case .unchanged(let range, let since):
      values.values.allSatisfy { !range.contains($0.key) || $0.revision <= since }
    }
  }

  private mutating func remove(_ range: KeyRange, at revision: Int64) -> [WatchBatch.Event] {
    let keys = values.keys.filter(range.contains).sorted()
    for key in keys {
      values[key] = nil
      leaseOfKey[key] = nil
    }
    return keys.map { .deleted(key: $0, revision: revision) }
  }

  private mutating func finish(_ events: [WatchBatch.Event], at next: Int64) {
    guard !events.isEmpty else { return }
    revision = next
    history += events
    for watcher in watchers.values { watcher.continuation.yield() }
  }

  // -- Watching

  mutating func addWatcher(
    _ continuation: AsyncStream<Void>.Continuation, _ client: Int
  ) -> Int {
    nextWatcher += 1
    watchers[nextWatcher] = (client, continuation)
    return nextWatcher
  }

  mutating func removeWatcher(_ id: Int) {
    watchers[id] = nil
    ended[id] = nil
  }

  func batch(
    _ ranges: [KeyRange], after last: Int64, of id: Int
  ) -> Result<WatchBatch, StoreError> {
    if let error = ended[id] ?? watchers[id].flatMap({ failures[$0.client] }) {
      return .failure(error)
    }
    if last < compacted { return .failure(.compacted(revision: compacted)) }
    if last > revision {
      return .failure(.rebuilt("its revision is \(revision), and not yet \(last)"))
    }
    let events = history.filter { event in
      guard event.revision > last else { return false }
      return ranges.contains { range in
        switch event {
        case .put(let value): range.contains(value.key)
        case .deleted(let key, _): range.contains(key)
        }
      }
    }
    return .success(WatchBatch(revision: revision, events: events, store: identity))
  }

  mutating func compact(to revision: Int64) {
    compacted = max(compacted, min(revision, self.revision))
    history.removeAll { $0.revision <= compacted }
  }

  mutating func startAnew(asSame isSame: Bool) {
    let clients = (clientCount, failures, nextWatcher)
    for (id, watcher) in watchers {
      ended[id] = .unavailable("the store starts anew")
      watcher.continuation.yield()
    }
    let (watching, ended, identity) = (watchers, ended, identity)
    self = Memory()
    (clientCount, failures, nextWatcher) = clients
    (watchers, self.ended) = (watching, ended)
    if isSame { self.identity = identity }
  }

  mutating func fail(_ client: Int, with error: StoreError?) {
    failures[client] = error
    guard let error else { return }
    for (id, watcher) in watchers where watcher.client == client {
      ended[id] = error
      watcher.continuation.yield()
    }
  }

  // -- Leases

  mutating func grantLease(_ seconds: Int64, _ client: Int) -> Result<Int64, StoreError> {
    if let failure = failures[client] { return .failure(failure) }
    guard seconds > 0 else { return .failure(.refused("a lease lasts at least a second")) }
    defer { nextLease += 1 }
    leases[nextLease] = Lease(seconds: seconds, end: now + seconds)
    return .success(nextLease)
  }

  mutating func renewLease(_ id: Int64, _ client: Int) -> Result<Void, StoreError> {
    if let failure = failures[client] { return .failure(failure) }
    guard let lease = leases[id] else { return .failure(.noLease) }
    leases[id] = Lease(seconds: lease.seconds, end: now + lease.seconds)
    return .success(())
  }

  mutating func revokeLease(_ id: Int64, _ client: Int) -> Result<Void, StoreError> {
    if let failure = failures[client] { return .failure(failure) }
    guard leases.removeValue(forKey: id) != nil else { return .failure(.noLease) }
    deleteKeys(ofLease: id)
    return .success(())
  }

  mutating func advance(by seconds: Int64) {
    now += seconds
    for (id, lease) in leases where lease.end <= now {
      leases[id] = nil
      deleteKeys(ofLease: id)
    }
  }

  private mutating func deleteKeys(ofLease id: Int64) {
    let next = revision + 1
    let keys = leaseOfKey.filter { $0.value == id }.keys.sorted()
    finish(keys.flatMap { remove(.key($0), at: next) }, at: next)
  }
}
