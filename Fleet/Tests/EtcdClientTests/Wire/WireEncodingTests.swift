@testable import EtcdClient
import RevisionedStore
import Testing

/// What is sent to etcd, byte for byte as `protoc` writes it.
struct WireEncodingTests {
  private let protoc: Protoc

  init() throws { protoc = try Protoc() }

  private func expectSame(_ kind: String, _ cases: [(bytes: [UInt8], text: String)]) async throws {
    let expected = try await protoc.encode(kind, cases.map(\.text))
    try #require(expected.count == cases.count)
    for (position, (bytes, text)) in cases.enumerated() {
      #expect(bytes == expected[position], "\(kind) { \(text) }")
    }
  }

  // M-2
  @Test func `reads and watches are written as protoc writes them`() async throws {
    try await expectSame(
      "TxnRequest",
      [
        (EtcdMessages.read([], limit: 5, revision: 7), ""),
        (read([.key("a")]), #"success { request_range { key: "a" } }"#),
        (read([.key("")]), "success { request_range {} }"),
        (
          read([.prefix("/cfg/v1/"), .key("ä")], limit: 300, revision: 1 << 40),
          #"success { request_range { key: "/cfg/v1/" range_end: "/cfg/v10" "#
            + "limit: 300 revision: 1099511627776 } } "
            + #"success { request_range { key: "\303\244" limit: 300 revision: 1099511627776 } }"#
        ),
      ])
    let flags = "progress_notify: true fragment: true"
    try await expectSame(
      "WatchRequest",
      [
        (
          EtcdMessages.watch(.prefix("a~"), from: 1 << 40),
          #"create_request { key: "a~" range_end: "a\177" start_revision: 1099511627776 "#
            + "\(flags) }"
        ),
        (EtcdMessages.watch(.key("a"), from: 0), #"create_request { key: "a" \#(flags) }"#),
        (
          EtcdMessages.watch([0], from: 1),
          #"create_request { key: "\000" start_revision: 1 \#(flags) }"#
        ),
      ])
  }

  private func read(_ ranges: [KeyRange], limit: Int = 0, revision: Int64 = 0) -> [UInt8] {
    let pages = ranges.map { range in
      let (key, end) = EtcdMessages.bounds(of: range)
      return PagedRead.Page(key: key, end: end)
    }
    return EtcdMessages.read(pages, limit: limit, revision: revision)
  }

  // M-2
  @Test func `a transaction is written as protoc writes it, at the ends of its numbers`()
    async throws
  {
    let numbers: [Int64] = [0, 1, -1, 127, 128, 1 << 35, .max - 1, .max, .min]
    try await expectSame(
      "TxnRequest",
      numbers.flatMap { number in
        [
          transaction(conditions: [.revision(of: "a", is: number)]),
          transaction(operations: [.put(key: "", value: [], lease: number)]),
        ]
      })
    try await expectSame(
      "TxnRequest", [transaction(conditions: [.unchanged(.prefix("b/"), since: 7)])])
  }

  // M-2
  @Test func `transactions of any content are written as protoc writes them`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let cases = (0..<500).map { _ in
      transaction(
        conditions: (0..<Int.random(in: 0...3, using: &random)).map { _ in
          condition(using: &random)
        },
        operations: (0..<Int.random(in: 0...5, using: &random)).map { _ in
          operation(using: &random)
        })
    }
    let expected = try await protoc.encode("TxnRequest", cases.map(\.text))
    for (position, (bytes, text)) in cases.enumerated() where bytes != expected[position] {
      Issue.record("seed \(seed): TxnRequest { \(text) }")
    }
  }

  // M-8
  @Test func `permissions are written as protoc writes them`() async throws {
    try await expectSame(
      "Permission",
      [
        (
          Permission(kind: .readAndWrite, key: [0, 0xFF], end: []).bytes,
          #"perm_type: READWRITE key: "\000\377""#
        ),
        (
          Permission(kind: .read, key: [0x61], end: [0x62]).bytes, #"key: "a" range_end: "b""#
        ),
        (Permission(kind: .write, key: [], end: []).bytes, "perm_type: WRITE"),
      ])
  }

  // -- The same as bytes and as a text

  private func transaction(
    conditions: [StoreTransaction.Condition] = [], operations: [StoreTransaction.Operation] = []
  ) -> (bytes: [UInt8], text: String) {
    (
      EtcdMessages.commit(StoreTransaction(conditions: conditions, operations: operations)),
      (conditions.map(text) + operations.map(text)).joined(separator: " ")
    )
  }

  private func text(_ condition: StoreTransaction.Condition) -> String {
    switch condition {
    case .revision(let key, let revision):
      "compare { target: MOD key: \(Protoc.quoted(key)) mod_revision: \(revision) }"
    case .unchanged(let range, let since):
      "compare { result: LESS target: MOD \(text(range)) mod_revision: \(since + 1) }"
    }
  }

  private func text(_ operation: StoreTransaction.Operation) -> String {
    switch operation {
    case .put(let key, let value, let lease):
      "success { request_put { key: \(Protoc.quoted(key)) value: \(Protoc.quoted(value)) "
        + "lease: \(lease ?? 0) } }"
    case .delete(let range): "success { request_delete_range { \(text(range)) } }"
    }
  }

  private func text(_ range: KeyRange) -> String {
    switch range {
    case .key(let key): return "key: \(Protoc.quoted(key))"
    case .prefix(let prefix):
      var end = Array(prefix.utf8)
      end[end.count - 1] += 1
      return "key: \(Protoc.quoted(prefix)) range_end: \(Protoc.quoted(end))"
    }
  }

  // -- Anything

  private func condition(using random: inout SeededGenerator) -> StoreTransaction.Condition {
    Bool.random(using: &random)
      ? .revision(of: key(using: &random), is: number(using: &random))
      : .unchanged(.prefix("p" + key(using: &random)), since: number(using: &random) >> 1)
  }

  private func operation(using random: inout SeededGenerator) -> StoreTransaction.Operation {
    switch Int.random(in: 0...2, using: &random) {
    case 0:
      .put(
        key: key(using: &random), value: random.bytes(0...300),
        lease: Bool.random(using: &random) ? number(using: &random) : nil)
    case 1: .delete(.key(key(using: &random)))
    default: .delete(.prefix("p" + key(using: &random)))
    }
  }

  private func key(using random: inout SeededGenerator) -> String {
    String(decoding: random.bytes(0...12), as: UTF8.self)
  }

  private func number(using random: inout SeededGenerator) -> Int64 {
    Int64(bitPattern: random.next() >> UInt64.random(in: 0...63, using: &random))
  }
}
