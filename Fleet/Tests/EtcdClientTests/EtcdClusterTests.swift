import EtcdClient
import Foundation
import RevisionedStore
import Testing

/// Three members of a real etcd, one of which fails: nothing is missed and nothing comes twice.
@Suite(.serialized) struct EtcdClusterTests {
  /// Follows through one store and writes through another, while something happens in between.
  private func expectAllNumbers(
    followedThrough store: EtcdStore, writtenThrough other: EtcdStore,
    _ happen: () async throws -> Void = {}
  ) async throws {
    let key = "numbers/" + UUID().uuidString
    let numbers = FollowedNumbers(key)
    let task = Task { await numbers.follow(store) }
    defer { task.cancel() }
    var writer = NumberWriter(other, key)
    try await writer.write(upTo: 100)
    try await numbers.reach(100)
    try await happen()
    try await writer.write(upTo: 200)
    try await numbers.reach(200)
    #expect(await numbers.mistakes == [])
    #expect(await numbers.snapshotCount == 1)
  }

  // M-3 M-4
  @Test func `a leader that is killed costs no change`() async throws {
    let cluster = try await EtcdCluster()
    let leader = try await cluster.leader()
    let store = try cluster.store(first: leader)
    try await expectAllNumbers(followedThrough: store, writtenThrough: store) {
      cluster.members[leader].kill()
    }
    cluster.members[leader].kill()
    try cluster.members[leader].start()
    try await expectAllNumbers(
      followedThrough: cluster.members[leader].store(), writtenThrough: store)
  }

  // M-3 M-4
  @Test func `a member that hangs costs one call its time, and no change`() async throws {
    let cluster = try await EtcdCluster()
    let hung = (try await cluster.leader() + 1) % 3
    let store = try cluster.store(first: hung)
    try await expectAllNumbers(
      followedThrough: store, writtenThrough: try cluster.store(first: (hung + 1) % 3)
    ) {
      cluster.members[hung].pause()
      let other = try cluster.store(first: hung)
      let clock = ContinuousClock()
      let first = try await clock.measure { _ = try await other.read([.key("a")]) }
      var rest: [Duration] = []
      for _ in 0..<21 {
        rest.append(try await clock.measure { _ = try await other.read([.key("a")]) })
      }
      #expect(rest.sorted()[10] < first / 10, "\(first), \(rest)")
    }
    cluster.members[hung].resume()
    _ = try await cluster.members[hung].store()
  }

  // M-3 M-4
  @Test(.enabled(if: SeparateNetwork.isPossible, "needs root and network namespaces"))
  func `a member whose packets are dropped costs no change`() async throws {
    let network = try SeparateNetwork()
    let members = try ["one", "two"].map { try EtcdServer(name: $0, host: network.outside) }
    let far = try EtcdServer(name: "three", host: network.inside, network: network)
    let cluster = try await EtcdCluster(members + [far])
    try await expectAllNumbers(
      followedThrough: try cluster.store(first: 2), writtenThrough: try cluster.store()
    ) {
      try network.dropPackets()
      let other = try cluster.store(first: 2)
      let time = try await ContinuousClock().measure { _ = try await other.read([.key("a")]) }
      #expect(time < .seconds(300))
      // Nothing was sent, so a change is made through another member.
      let changing = try cluster.store(first: 2)
      _ = try await changing.commit(
        StoreTransaction(operations: [.put(key: "other", value: [])]))
    }
  }

  // M-3 M-4
  @Test func `changes while a member was away, and compacted, give a snapshot`() async throws {
    let cluster = try await EtcdCluster()
    let numbers = FollowedNumbers("numbers")
    let away = try await cluster.members[0].store()
    let task = Task { await numbers.follow(away) }
    defer { task.cancel() }
    var writer = NumberWriter(try cluster.store(first: 1), "numbers")
    try await writer.write(upTo: 20)
    try await numbers.reach(20)
    cluster.members[0].kill()
    try await numbers.awaitLoss()
    try await writer.write(upTo: 60)
    let revision = try await cluster.store(first: 1).read([.key("a")]).revision
    try cluster.members[1].control("compact", "\(revision)")
    try cluster.members[0].start()
    try await numbers.reach(60)
    try await writer.write(upTo: 80)
    try await numbers.reach(80)
    #expect(await numbers.mistakes == [])
    #expect(await numbers.snapshotCount == 2)
  }
}
