@testable import EtcdClient
import Foundation
import RevisionedStore
import Testing

/// A follower of one real etcd, which ends, forbids, or is behind a proxy.
struct EtcdRecoveryTests {
  // M-3 M-4
  @Test func `a server that is stopped and started costs no change`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let numbers = FollowedNumbers("numbers")
    let task = Task { await numbers.follow(store) }
    defer { task.cancel() }
    var writer = NumberWriter(store, "numbers")
    try await writer.write(upTo: 20)
    try await numbers.reach(20)
    server.kill()
    try await numbers.awaitLoss()
    try server.start()
    try await numbers.awaitRestoration()
    try await writer.write(upTo: 40)
    try await numbers.reach(40)
    #expect(await numbers.mistakes == [])
    #expect(await numbers.snapshotCount == 1)
  }

  // M-3
  @Test func `a server that has lost its data, and is behind what was seen, is read anew`()
    async throws
  {
    let server = try await EtcdServer()
    let store = try await server.store()
    let numbers = FollowedNumbers("numbers")
    let task = Task { await numbers.follow(store) }
    defer { task.cancel() }
    var writer = NumberWriter(store, "numbers")
    try await writer.write(upTo: 20)
    try await numbers.reach(20)
    try server.wipe()
    try server.start()
    var new = NumberWriter(try await server.store(), "numbers")
    try await new.write(upTo: 5)
    try await awaited { await numbers.number == 5 ? true : nil }
    try await new.write(upTo: 10)
    try await awaited { await numbers.number == 10 ? true : nil }
    #expect(await numbers.mistakes == [])
    #expect(await numbers.snapshotCount == 2)
  }

  // M-3
  @Test func `another store at the same address is read anew, however far it is`() async throws {
    let (server, other) = (try await EtcdServer(), try EtcdServer(name: "other"))
    try other.start(among: [other])
    let (store, away) = (try await server.store(), try await other.store())
    let switched = SwitchedStore(store)
    let numbers = FollowedNumbers("numbers")
    let task = Task { await numbers.follow(switched) }
    defer { task.cancel() }
    var writer = NumberWriter(store, "numbers")
    try await writer.write(upTo: 5)
    try await numbers.reach(5)
    var ahead = NumberWriter(away, "numbers")
    try await ahead.write(upTo: 30)
    switched.change(to: away)
    server.kill()
    try await numbers.reach(30)
    try await ahead.write(upTo: 35)
    try await numbers.reach(35)
    #expect(await numbers.mistakes == [])
    #expect(await numbers.snapshotCount == 2)
  }

  // M-3 M-4
  @Test func `a right that is taken away ends a watch when it is made anew, and not before`()
    async throws
  {
    let encrypted = try await EncryptedServer()
    let authority = encrypted.authority
    let root = try await EtcdServer.ready(encrypted.location(authority.issue("root")))
    try encrypted.server.requireCertificates(authority, root: authority.issue("root"))
    try await root.setAccess(ofUser: "host", reading: [.key("numbers")], writing: [])
    let host = try EtcdStore(encrypted.location(authority.issue("host")))
    let numbers = FollowedNumbers("numbers")
    // Half an hour is the rule.
    let task = Task { await numbers.follow(host, watchTime: .milliseconds(300)) }
    defer { task.cancel() }
    var writer = NumberWriter(root, "numbers")
    try await writer.write(upTo: 20)
    try await numbers.reach(20)
    try await root.setAccess(ofUser: "host", reading: [.key("other")], writing: [])
    try await numbers.awaitLoss { if case .permissionDenied = $0 { true } else { false } }
    try await writer.write(upTo: 40)
    try await root.setAccess(ofUser: "host", reading: [.key("numbers")], writing: [])
    try await numbers.reach(40)
    #expect(await numbers.mistakes == [])
  }

  // M-3 M-4
  @Test func `a proxy whose server starts anew costs no change`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let proxy = try EtcdProxy(of: server)
    let through = try await EtcdServer.store(at: proxy.endpoint)
    let numbers = FollowedNumbers("numbers")
    let task = Task { await numbers.follow(through, watchTime: .seconds(2)) }
    defer { task.cancel() }
    var writer = NumberWriter(through, "numbers")
    try await writer.write(upTo: 20)
    try await numbers.reach(20)
    server.kill()
    try server.start()
    _ = try await server.store()
    var direct = NumberWriter(store, "numbers")
    try await direct.resume()
    try await direct.write(upTo: 40)
    try await numbers.reach(40)
    #expect(await numbers.mistakes == [])
  }

  // M-4
  @Test func `what is too large, or too much, is said to be so`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let large = StoreTransaction(
      operations: [.put(key: "a", value: [UInt8](repeating: 1, count: 1_600_000))])
    let many = StoreTransaction(operations: (0..<129).map { .put(key: "\($0)", value: []) })
    for transaction in [large, many] {
      let found = await error { () async throws(StoreError) in
        _ = try await store.commit(transaction)
      }
      guard case .tooLarge = found else {
        Issue.record("\(found as Any)")
        continue
      }
    }
    #expect(try await server.store().read([.prefix("0"), .key("a")]).values.isEmpty)
  }

  // M-3
  @Test func `a member that has failed is asked again only when all others have`() {
    var choice = MemberChoice(count: 3)
    func failed(_ member: Int) -> Int {
      choice.didFail(member)
      return choice.current
    }
    #expect(choice.current == 0)
    #expect(failed(0) == 1)
    // The error of a call that was begun earlier changes nothing.
    #expect(failed(0) == 1)
    #expect(failed(1) == 2)
    #expect(failed(0) == 2)
    #expect(failed(2) == 1)
    choice.didAnswer(2)
    #expect(failed(1) == 2)
  }
}
