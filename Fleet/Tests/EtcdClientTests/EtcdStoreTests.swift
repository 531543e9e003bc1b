import EtcdClient
import RevisionedStore
import Testing

/// The client with a real etcd.
struct EtcdStoreTests {
  // M-2 M-4
  @Test func `etcd keeps the rules for all stores`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    for rule in StoreConformance.rules {
      do {
        try await rule.check(store)
      } catch {
        Issue.record("\(rule.name): \(error)")
      }
    }
  }

  // M-4
  @Test func `a server that does not answer is an error within seconds, and then it goes on`()
    async throws
  {
    let server = try await EtcdServer()
    _ = try await server.store()
    let store = try EtcdStore(StoreLocation(endpoints: [server.endpoint]))
    try await awaited { await error(of: store) == nil ? true : nil }
    server.pause()
    let start = ContinuousClock.now
    do throws(StoreError) {
      _ = try await store.read([.key("a")])
      Issue.record("a stopped server answered")
    } catch {
      guard case .unavailable = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(ContinuousClock.now - start < .seconds(60))
    server.resume()
    try await awaited { await error(of: store) == nil ? true : nil }
  }

  private func error(of store: EtcdStore) async -> StoreError? {
    await EtcdClientTests.error { () async throws(StoreError) in
      _ = try await store.read([.key("a")])
    }
  }

  // M-1
  @Test func `wrong addresses and files are errors that name them`() throws {
    for endpoint in ["localhost:2379", "http://", "http://a/b", "https://localhost"] {
      #expect(throws: StoreError.self) {
        try EtcdStore(StoreLocation(endpoints: [endpoint]))
      }
    }
    let error = #expect(throws: StoreError.self) {
      try EtcdStore(StoreLocation(endpoints: ["https://a:1"], authority: "/nonexistent/ca.pem"))
    }
    #expect("\(String(describing: error))".contains("/nonexistent/ca.pem"))
  }
}
