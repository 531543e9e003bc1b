import RevisionedStore
import Testing

@testable import EtcdClient

/// Reading more than one answer may have.
struct PagedReadTests {
  private let server: EtcdServer
  private let store: EtcdStore
  private let ranges: [KeyRange] = [.prefix("a/"), .key("b"), .prefix("c/"), .prefix("none/")]

  init() async throws {
    server = try await EtcdServer()
    store = try await server.store()
    let operations = (0..<60).map { number in
      StoreTransaction.Operation.put(
        key: (number < 40 ? "a/" : "c/") + String(number), value: [UInt8(number)])
    }
    _ = try await store.commit(
      StoreTransaction(operations: operations + [.put(key: "b", value: [1])]))
  }

  /// - Parameters:
  ///   - valuesMax: for the four ranges together.
  ///   - intervene: called before each request, with its number.
  private func read(
    valuesMax: Int, _ intervene: @escaping (Int) async throws(StoreError) -> Void = { _ in }
  ) async throws(StoreError) -> (snapshot: StoreSnapshot, requests: Int) {
    var requests = 0
    let read = PagedRead(ranges, valuesMax: valuesMax) {
      [store] (request) async throws(StoreError) in
      requests += 1
      try await intervene(requests)
      return try await store.members.ask("/etcdserverpb.KV/Txn", request, isChange: false)
    }
    return (try await read.snapshot(), requests)
  }

  // M-2
  @Test func `all is read, once and in order, whatever an answer may have`() async throws {
    let all = try await store.read(ranges)
    #expect(all.values.count == 61)
    // Of the ranges, one has forty values, and one twenty; once they are all that is left, more of
    // each come at once. etcd says when there are no more.
    for (valuesMax, count) in [(1, 40), (4, 16), (12, 6), (39 * 4, 2), (40 * 4, 1), (1_000, 1)] {
      let (snapshot, requests) = try await read(valuesMax: valuesMax)
      #expect(snapshot == all, "\(valuesMax)")
      #expect(requests == count, "\(valuesMax)")
    }
  }

  // M-2
  @Test func `what changes meanwhile is not seen`() async throws {
    let all = try await store.read(ranges)
    let (snapshot, _) = try await read(valuesMax: 12) { (request) async throws(StoreError) in
      _ = try await store.commit(
        StoreTransaction(operations: [
          .delete(.key("a/0")), .delete(.key("a/9")), .put(key: "c/59", value: [UInt8(request)]),
        ]))
      if request > 1 { return }
      // Before the first, it is.
      #expect(try await store.read(ranges).values.count == 59)
    }
    #expect(snapshot.values.count == 59)
    #expect(snapshot.values.last?.value == [1])
    #expect(snapshot.revision == all.revision + 1)
  }

  // M-2, M-4
  @Test func `when the history is compacted meanwhile, what there is now is read`() async throws {
    let (snapshot, _) = try await read(valuesMax: 12) { (request) async throws(StoreError) in
      guard request == 3 else { return }
      _ = try await store.commit(StoreTransaction(operations: [.put(key: "c/99", value: [])]))
      do {
        try server.control("compact", "3")
      } catch {
        throw .refused("\(error)")
      }
    }
    #expect(snapshot.revision == 3 && snapshot.values.count == 62)
  }

  // M-2, M-4
  @Test func `a proxy's answer that the history is compacted is understood`() async throws {
    let proxy = try EtcdProxy(of: server)
    let through = try await EtcdServer.store(at: proxy.endpoint)
    let revision = try await store.read(ranges).revision
    try server.control("put", "c/98", "x")
    try server.control("compact", "\(revision + 1)")
    let page = PagedRead.Page(key: Array("a/".utf8), end: Array("a0".utf8))
    let found = await error { () async throws(StoreError) in
      _ = try await through.members.ask(
        "/etcdserverpb.KV/Txn", EtcdMessages.read([page], limit: 2, revision: revision),
        isChange: false)
    }
    #expect(found == .compacted(revision: 0))
  }

  // M-2
  @Test func `an answer that would be too large is asked for in parts`() async throws {
    let large = [UInt8](repeating: 7, count: 1 << 20)
    for number in 0..<70 {
      _ = try await store.commit(
        StoreTransaction(operations: [.put(key: "large/\(number)", value: large)]))
    }
    let snapshot = try await store.read([.prefix("large/"), .prefix("a/")])
    #expect(snapshot.values.count == 110)
    #expect(snapshot.values.count { $0.value.count == 1 << 20 } == 70)
  }

  // -- Servers that are not to be trusted

  private static func answer(_ keys: [String], hasMore: Bool, size: Int = 0) -> [UInt8] {
    EtcdMessages.fields { writer in
      writer.add(1) { $0.add(3, 7) }
      writer.add(3) { response in
        response.add(1) { range in
          for key in keys {
            range.add(2) { value in
              value.add(1, key)
              value.add(5, [UInt8](repeating: 1, count: size))
            }
          }
          range.add(3, hasMore)
        }
      }
    }
  }

  // M-12
  @Test(arguments: [[[]], [["a/1"]], [["a/1", "a/2"], ["a/2", "a/1"]]])
  func `a server that says that there is more and does not come to it is refused`(
    _ answers: [[String]]
  ) async {
    var rest = answers
    let found = await error { () async throws(StoreError) in
      _ = try await PagedRead([.prefix("a/")], valuesMax: 2) { (_) async throws(StoreError) in
        Self.answer(rest.isEmpty ? [] : rest.removeFirst(), hasMore: true)
      }.snapshot()
    }
    #expect(found == ProtobufReader.malformed)
    #expect(rest.isEmpty)
  }

  // M-12
  @Test func `a server that always has more is refused in the end`() async {
    var count = 0
    let found = await error { () async throws(StoreError) in
      _ = try await PagedRead([.prefix("a/")], valuesMax: 1, sizeMax: 1 << 20) {
        (_) async throws(StoreError) in
        count += 1
        return Self.answer(["a/" + String(100_000 + count)], hasMore: true, size: 960)
      }.snapshot()
    }
    #expect(found == .invalidAnswer("what is to be read has more than 1 MB"))
    #expect(count == 930)
  }

  // M-12
  @Test func `a server whose answers are always too large is asked for less a few times`() async {
    var count = 0
    let found = await error { () async throws(StoreError) in
      _ = try await PagedRead(ranges) { (_) async throws(StoreError) in
        count += 1
        throw EtcdErrors.error(
          of: ChannelCall.Status(code: 8, text: "Received message larger than max"),
          isChange: false)
      }.snapshot()
    }
    #expect(found.map(EtcdErrors.isTooLong) == true)
    #expect(count == 4)
  }
}
