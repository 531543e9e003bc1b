import RevisionedStore
import Testing

/// The store in memory, by the rules for all stores and those of its own.
struct InMemoryStoreTests {
  // M-2
  @Test(arguments: StoreConformance.rules.indices)
  func `the store in memory keeps the rule`(rule: Int) async throws {
    try await StoreConformance.rules[rule].check(InMemoryStore())
  }

  // M-2
  @Test func `a history that was compacted is said to be`() async throws {
    let store = InMemoryStore()
    for number in UInt8(0)..<3 {
      _ = try await store.commit(
        StoreTransaction(operations: [.put(key: "a", value: [number])]))
    }
    store.compact(to: 3)
    do throws(StoreError) {
      try await store.watch([.key("a")], after: 2) { _ in }
    } catch {
      #expect(error == .compacted(revision: 3))
    }
  }

  // M-2
  @Test func `a lease ends with its time unless it is renewed`() async throws {
    let store = InMemoryStore()
    let lease = try await store.grantLease(seconds: 10)
    _ = try await store.commit(
      StoreTransaction(operations: [.put(key: "a", value: [], lease: lease)]))
    store.advance(by: 9)
    try await store.renewLease(lease)
    store.advance(by: 9)
    #expect(try await store.read([.key("a")]).values.count == 1)
    store.advance(by: 1)
    #expect(try await store.read([.key("a")]).values.isEmpty)
  }
}
