import Foundation
import RevisionedStore
import Testing

@testable import EtcdClient

/// What members say of themselves, and who may do what, with a real etcd.
struct EtcdAdministrationTests {
  // M-8
  @Test func `each endpoint is asked by itself, and one that hangs costs seconds`() async throws {
    let (first, second) = (try await EtcdServer(), try await EtcdServer())
    let revision = try await first.store().read([.key("a")]).revision
    _ = try await second.store()
    second.pause()
    defer { second.resume() }
    let gone = "http://127.0.0.1:\(try FreePort.find())"
    let store = try EtcdStore(
      StoreLocation(endpoints: [gone, first.endpoint, second.endpoint]))
    let start = ContinuousClock.now
    var statuses = await store.memberStatuses()
    #expect(ContinuousClock.now - start < .seconds(300))
    let health = try await awaited { () async -> MemberStatus.Health? in
      // On a busy machine, the one that works may take its three seconds, too.
      if case .success(let health) = statuses[1].health { return health }
      statuses = await store.memberStatuses()
      return nil
    }
    #expect(statuses.map(\.endpoint) == [gone, first.endpoint, second.endpoint])
    #expect(health.version.hasPrefix("3."))
    #expect(health.databaseBytes > 0 && health.isLeader && health.hasLeader)
    #expect(health.revision == revision && health.compactRevision == 0 && health.alarms.isEmpty)
    for status in [statuses[0], statuses[2]] {
      guard case .failure(.unavailable) = status.health else {
        Issue.record("\(status)")
        continue
      }
    }
  }

  // M-8
  @Test func `a member says how far its history was compacted`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    var last: Int64 = 0
    for number in 0..<20 {
      let result = try await store.commit(
        StoreTransaction(operations: [.put(key: "a", value: [UInt8(number)])]))
      if case .committed(let revision) = result { last = revision }
    }
    try server.control("compact", "\(last - 5)")
    let health = try #require(await store.memberStatuses().first).health.get()
    #expect(health.compactRevision == last - 5)
    #expect(health.revision == last)
  }

  // M-8
  @Test func `a member without room says so`() async throws {
    let server = try await EtcdServer(more: ["--quota-backend-bytes", "2000000"])
    let store = try await server.store()
    let value = [UInt8](repeating: 7, count: 700_000)
    do throws(StoreError) {
      // It counts what it has written, which may be some changes later.
      for number in 0..<1_000 {
        _ = try await store.commit(
          StoreTransaction(operations: [.put(key: "\(number)", value: value)]))
      }
      Issue.record("a store of 2 MB took 700")
    } catch {
      guard case .exhausted = error else {
        Issue.record("\(error)")
        return
      }
    }
    let health = try #require(await store.memberStatuses().first).health.get()
    #expect(health.alarms == ["NOSPACE"])
  }

  // M-8
  @Test func `a member without a leader still says who it is`() async throws {
    let (first, second) = (try EtcdServer(name: "one"), try EtcdServer(name: "two"))
    for member in [first, second] { try member.start(among: [first, second]) }
    let store = try await first.store()
    second.kill()
    let health = try await awaited { () async -> MemberStatus.Health? in
      guard case .success(let health) = await store.memberStatuses().first?.health,
        !health.hasLeader
      else { return nil }
      return health
    }
    #expect(!health.isLeader)
    #expect(health.alarms.isEmpty && health.revision > 0)
  }

  // M-8
  @Test func `a member that only learns says so`() async throws {
    let (first, second) = (try EtcdServer(name: "one"), try EtcdServer(name: "two"))
    try first.start(among: [first])
    _ = try await first.store()
    try first.control("member", "add", "two", "--learner", "--peer-urls", second.peer)
    try second.start(among: [first, second], more: ["--initial-cluster-state", "existing"])
    let store = try EtcdStore(StoreLocation(endpoints: [first.endpoint, second.endpoint]))
    let statuses = try await awaited { () async throws -> [MemberStatus.Health]? in
      let found = await store.memberStatuses().compactMap { status in
        if case .success(let health) = status.health { health } else { nil }
      }
      return found.count == 2 && found[1].hasLeader ? found : nil
    }
    #expect(statuses.map(\.isLearner) == [false, true])
    #expect(statuses.map(\.compactRevision) == [0, -1])
    #expect(statuses[0].databaseBytesInUse > 0)
    #expect(statuses[0].databaseBytesInUse <= statuses[0].databaseBytes)
  }

  // M-8
  @Test func `a host writes only its own status, and reads what it needs`() async throws {
    let encrypted = try await EncryptedServer()
    let authority = encrypted.authority
    let administrator = try authority.issue("root")
    let root = try await EtcdServer.ready(encrypted.location(administrator))
    try encrypted.server.requireCertificates(authority, root: administrator)
    for _ in 0..<2 {
      try await root.setAccess(
        ofUser: "host1", reading: [.prefix("/cfg/v1/live/all/"), .key("/cfg/v1/host/host1")],
        writing: [.key("/status/v1/host1")])
    }
    let host = try EtcdStore(encrypted.location(authority.issue("host1")), .long)
    func put(_ key: String) async -> StoreError? {
      await error { () async throws(StoreError) in
        _ = try await host.commit(StoreTransaction(operations: [.put(key: key, value: [1])]))
      }
    }
    func read(_ range: KeyRange) async -> StoreError? {
      await error { () async throws(StoreError) in _ = try await host.read([range]) }
    }
    #expect(await put("/status/v1/host1") == nil)
    #expect(await read(.prefix("/cfg/v1/live/all/")) == nil)
    #expect(await read(.key("/cfg/v1/host/host1")) == nil)
    for refused in [
      await put("/status/v1/host2"), await put("/cfg/v1/live/all/a"),
      await put("/status/v1/host11"),
      await read(.key("/cfg/v1/host/host2")), await read(.prefix("/cfg/v1/")),
      await read(.key("/status/v1/host1")),
      await error { () async throws(StoreError) in
        try await host.setAccess(ofUser: "host1", reading: [.prefix("/cfg/")], writing: [])
      },
    ] {
      guard case .permissionDenied = refused else {
        Issue.record("\(String(describing: refused))")
        continue
      }
    }
    // It may not know, which is no reason to hide the rest.
    #expect(try await #require(host.memberStatuses().first).health.get().compactRevision == -1)

    try await root.setAccess(
      ofUser: "host1", reading: [.prefix("/cfg/v1/live/os:linux/")],
      writing: [.key("/status/v1/host1")])
    guard case .permissionDenied = await read(.prefix("/cfg/v1/live/all/")) else {
      Issue.record("what it was once permitted is still permitted")
      return
    }
    #expect(await read(.prefix("/cfg/v1/live/os:linux/")) == nil)
    #expect(await put("/status/v1/host1") == nil)

    for _ in 0..<2 { try await root.removeAccess(ofUser: "host1") }
    #expect(await put("/status/v1/host1") != nil)
  }

  // M-8
  @Test func `the administrator of the store can't be given or lose permissions`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    for name in ["root", ""] {
      for refused in [
        await error { () async throws(StoreError) in
          try await store.setAccess(ofUser: name, reading: [], writing: [])
        },
        await error { () async throws(StoreError) in
          try await store.removeAccess(ofUser: name)
        },
      ] {
        guard case .refused = refused else {
          Issue.record("\(String(describing: refused))")
          continue
        }
      }
    }
  }
}
