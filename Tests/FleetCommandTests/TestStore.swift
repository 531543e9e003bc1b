import RevisionedStore
import StrataTesting
import Testing

/// A store in memory with what an administrator asks, whose answers a test can spoil.
actor TestStore: StoreAdministration {
  private let memory = InMemoryStore()
  private(set) var commits = 0
  private(set) var access: [String: [KeyRange]] = [:]
  /// What others do just before the next commits, one for each.
  private var interruptions: [@Sendable (InMemoryStore) async throws -> Void] = []
  /// What others do just before a read, by how many come before it.
  private var readInterruptions: [Int: @Sendable (InMemoryStore) async throws -> Void] = [:]
  /// What the next commits throw, and whether they are made anyway.
  private var losses: [(error: StoreError, isMade: Bool)] = []
  private var members: [MemberStatus] = []
  private let certificateList = Guarded<[CertificateStatus]>([])

  var values: [StoredValue] {
    get async throws { try await memory.read([.prefix("/")]).values }
  }

  func put(_ key: String, _ value: [UInt8]) async throws { try await memory.put(key, value) }

  func delete(_ key: String) async {
    do throws(StoreError) {
      _ = try await memory.commit(StoreTransaction(operations: [.delete(.key(key))]))
    } catch {
      Issue.record(error)
    }
  }

  func interrupt(_ body: @escaping @Sendable (InMemoryStore) async throws -> Void) {
    interruptions.append(body)
  }

  func interruptRead(
    after count: Int, _ body: @escaping @Sendable (InMemoryStore) async throws -> Void
  ) {
    readInterruptions = [count: body]
  }

  func lose(_ error: StoreError, isMade: Bool) { losses.append((error, isMade)) }
  func setMembers(_ members: [MemberStatus]) { self.members = members }
  nonisolated func setCertificates(_ list: [CertificateStatus]) {
    certificateList.withLock { $0 = list }
  }
  func goDown() { memory.fail(with: .unavailable("nobody answers")) }

  // -- RevisionedStore

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    let due = readInterruptions.removeValue(forKey: 0)
    readInterruptions = Dictionary(readInterruptions.map { ($0 - 1, $1) }) { $1 }
    if let due { try await interrupt(by: due) }
    return try await memory.read(ranges)
  }

  private func interrupt(
    by body: @Sendable (InMemoryStore) async throws -> Void
  ) async throws(StoreError) {
    do {
      try await body(memory)
    } catch {
      throw .refused("the test failed to interrupt: \(error)")
    }
  }

  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    commits += 1
    if !interruptions.isEmpty { try await interrupt(by: interruptions.removeFirst()) }
    let loss = losses.isEmpty ? nil : losses.removeFirst()
    if let loss, !loss.isMade { throw loss.error }
    let result = try await memory.commit(transaction)
    if let loss { throw loss.error }
    return result
  }

  nonisolated func watch(
    _ ranges: [KeyRange], after revision: Int64,
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await memory.watch(ranges, after: revision, receive)
  }

  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await memory.grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await memory.renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await memory.revokeLease(lease) }

  // -- StoreAdministration

  func memberStatuses() async -> [MemberStatus] { members }

  nonisolated func certificates() -> [CertificateStatus] { certificateList.withLock { $0 } }

  func setAccess(
    ofUser user: String, reading: [KeyRange], writing: [KeyRange]
  ) async throws(StoreError) {
    access[user] = reading + writing
  }

  func removeAccess(ofUser user: String) async throws(StoreError) { access[user] = nil }
}

extension InMemoryStore {
  func put(_ key: String, _ value: [UInt8]) async throws {
    _ = try await commit(StoreTransaction(operations: [.put(key: key, value: value)]))
  }
}
