import Foundation
import RevisionedStore
import Testing

@testable import EtcdClient

/// Watches of a real etcd where one end or what is between is not at its best.
struct EtcdWatchTests {
  /// The keys that a watch reports until so many have come; with none, waits until it works.
  private func keys(
    _ store: EtcdStore, _ ranges: [KeyRange], after revision: Int64, count: Int
  ) async throws -> [String] {
    let (batches, continuation) = AsyncThrowingStream.makeStream(of: WatchBatch.self)
    let watch = Task {
      do throws(StoreError) {
        try await store.watch(ranges, after: revision) { continuation.yield($0) }
      } catch {
        continuation.finish(throwing: error)
      }
    }
    // A watch that reports too little is an error, not a test without an end.
    let limit = Task {
      try await Task.sleep(for: .seconds(600))
      continuation.finish(throwing: StoreError.unavailable("too few events within ten minutes"))
    }
    defer {
      watch.cancel()
      limit.cancel()
    }
    var found: [String] = []
    for try await batch in batches {
      found += batch.events.map(\.key)
      if found.count >= count { break }
    }
    return found
  }

  // M-3
  @Test func `a watch authenticates by itself`() async throws {
    let server = try await EtcdServer()
    let open = try await server.store()
    let start = try await open.read([.key("a")]).revision
    _ = try await open.commit(StoreTransaction(operations: [.put(key: "a", value: [])]))
    try server.requirePassword("secret")
    let store = try EtcdStore(
      StoreLocation(endpoints: [server.endpoint], user: "root", password: "secret"), .long)
    #expect(try await keys(store, [.key("a")], after: start, count: 1) == ["a"])
  }

  // M-4
  @Test func `a wrong password is an error that says so`() async throws {
    let server = try await EtcdServer()
    _ = try await server.store()
    try server.requirePassword("secret")
    let store = try EtcdStore(
      StoreLocation(endpoints: [server.endpoint], user: "root", password: "other"), .long)
    do throws(StoreError) {
      _ = try await store.read([.key("a")])
      Issue.record("a wrong password was accepted")
    } catch {
      guard case .unauthenticated = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  // M-4
  @Test func `a history of more than a message is caught up with`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let start = try await store.read([.key("a")]).revision
    let value = [UInt8](repeating: 7, count: 1_400_000)
    for _ in 0..<60 {
      _ = try await store.commit(StoreTransaction(operations: [.put(key: "a", value: value)]))
    }
    #expect(try await keys(store, [.key("a")], after: start, count: 60).count == 60)
  }

  // M-3
  @Test func `a lease is renewed by the member that answers`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let lease = try await store.grantLease(seconds: 60)
    let other = try EtcdStore(
      StoreLocation(endpoints: ["http://127.0.0.1:1", server.endpoint]), .long)
    try await other.renewLease(lease)
  }

  // M-4
  @Test func `watches go through a proxy, which numbers them by itself`() async throws {
    let server = try await EtcdServer()
    let store = try await server.store()
    let start = try await store.read([.key("a")]).revision
    _ = try await store.commit(StoreTransaction(operations: [.put(key: "b", value: [])]))
    let proxy = try EtcdProxy(of: server)
    let through = try await EtcdServer.store(at: proxy.endpoint)
    #expect(try await keys(through, [.key("a"), .key("b")], after: start, count: 1) == ["b"])
  }
}
