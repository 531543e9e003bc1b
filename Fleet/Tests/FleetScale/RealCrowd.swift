import CScale
import EtcdClient
import Foundation
import RevisionedStore
import Synchronization

/// Agents as they are, up to what they do with the policies: the real client with its library, and
/// the real follower.
final class RealCrowd: Crowd {
  private let agents: [RealAgent]
  private let tasks: [Task<Void, Never>]
  private let secondsBefore: Double

  init(_ options: Options, _ server: Server) throws {
    secondsBefore = try Usage.own.seconds
    agents = try (0..<options.agents).map {
      RealAgent($0, try EtcdStore(server.location(server.ports[$0 % server.ports.count])))
    }
    let spacing = Duration.seconds(options.startSeconds / Double(options.agents))
    tasks = agents.enumerated().map { number, agent in
      Task {
        await Follower.sleep(spacing * number)
        await agent.run(spread: options.spread)
      }
    }
  }

  deinit { for task in tasks { task.cancel() } }

  var count: Int { agents.count }
  var followingCount: Int { agents.count { $0.figures.isFollowing } }
  var reportedCount: Int { agents.count { $0.figures.isReported } }
  var changeCount: Int { agents.reduce(0) { $0 + $1.figures.changes } }
  var attemptCount: Int { agents.reduce(0) { $0 + $1.figures.attempts } }
  var changeTimes: [Int64] { agents.map(\.figures.changedAt) }
  var followTimes: [Int64] { agents.map(\.figures.followedAt) }
  var seconds: Double { get throws { try Usage.own.seconds - secondsBefore } }
}

/// A store that counts what its follower does.
private final class RealAgent: RevisionedStore {
  struct Figures {
    var isFollowing = false
    var isReported = false
    var changes = 0
    var attempts = 0
    var changedAt: Int64 = 0
    var followedAt: Int64 = 0
  }

  private let host: Int
  private let store: EtcdStore
  private let state = Mutex(Figures())

  init(_ host: Int, _ store: EtcdStore) { (self.host, self.store) = (host, store) }

  var figures: Figures { state.withLock { $0 } }

  func run(spread: Double) async {
    let due = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    await withTaskGroup { group in
      group.addTask { [self] in
        await Follower(self, pauseMax: 60_000).follow(SimulatedCrowd.ranges(of: host)) { _ in
          due.continuation.yield()
        }
      }
      if spread > 0 { group.addTask { await self.report(when: due, spread) } }
    }
  }

  private func report(
    when due: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation),
    _ spread: Double
  ) async {
    for await _ in due.stream {
      await Follower.sleep(.seconds(.random(in: 0..<spread)))
      let changes = figures.changes
      let status = [UInt8](repeating: 0x20, count: Int(scale_status_size))
      do throws(StoreError) {
        _ = try await commit(
          StoreTransaction(
            operations: [.put(key: SimulatedCrowd.statusKey(of: host), value: status)]))
        state.withLock { if $0.changes == changes { $0.isReported = true } }
      } catch {
        if Task.isCancelled { return }
        due.continuation.yield()
      }
    }
  }

  func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    state.withLock { $0.attempts += 1 }
    defer { state.withLock { $0.isFollowing = false } }
    try await store.watch(ranges, afterEach: revisions) { batch in
      let now = scale_now()
      state.withLock { state in
        if !state.isFollowing { state.followedAt = now }
        state.isFollowing = true
        guard !batch.events.isEmpty else { return }
        state.changes += batch.events.count
        state.changedAt = now
        state.isReported = false
      }
      await receive(batch)
    }
  }

  func watch(
    _ ranges: [KeyRange], after revision: Int64, _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    try await watch(ranges, afterEach: ranges.map { _ in revision }, receive)
  }

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    try await store.read(ranges)
  }
  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    try await store.commit(transaction)
  }
  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await store.grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await store.renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await store.revokeLease(lease) }
}
