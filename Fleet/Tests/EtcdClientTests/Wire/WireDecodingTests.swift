@testable import EtcdClient
import RevisionedStore
import Testing

/// What etcd answers, as `protoc` writes it.
struct WireDecodingTests {
  private let protoc: Protoc

  init() throws { protoc = try Protoc() }

  private func transaction(_ text: String) async throws -> TransactionAnswer {
    try TransactionAnswer(try await protoc.encode("TxnResponse", text))
  }

  private func watch(_ text: String) async throws -> WatchAnswer {
    try WatchAnswer(try await protoc.encode("WatchResponse", text))
  }

  // M-2
  @Test func `what was read is what protoc has written`() async throws {
    let answer = try await transaction(
      #"""
      header { cluster_id: 18446744073709551615 member_id: 7 revision: 300 raft_term: 2 }
      succeeded: true
      responses { response_range {
        header { revision: 1 }
        kvs { key: "a" create_revision: 1 mod_revision: 200 version: 3 value: "\000\377" lease: -1 }
        kvs { key: "empty" mod_revision: 1 }
        more: true count: 2
      } }
      responses { response_range { kvs { key: "\377" mod_revision: 4 } more: true } }
      responses { response_put {
        header { revision: 9 } prev_kv { key: "not" mod_revision: 2 value: "read" }
      } }
      responses { response_range {} }
      responses { response_range { kvs { key: "\303\244" mod_revision: 300 value: "b" } } }
      """#)
    #expect(answer.header.revision == 300 && answer.header.cluster == .max)
    #expect(answer.succeeded)
    #expect(
      Array(answer.values) == [
        StoredValue(key: "a", value: [0, 0xFF], revision: 200),
        StoredValue(key: "empty", value: [], revision: 1),
        StoredValue(key: "ä", value: [0x62], revision: 300),
      ])
    #expect(answer.parts.map(\.hasMore) == [true, true, false, false])
    #expect(answer.parts.map(\.count) == [2, 1, 0, 1])
    #expect(answer.parts.map(\.lastKey) == [Array("empty".utf8), [0xFF], [], []])
  }

  // M-2
  @Test func `what is not there has its default`() async throws {
    let answer = try await transaction("")
    #expect(answer.header.revision == 0 && !answer.succeeded && answer.parts.isEmpty)
    let watch = try await watch("header {}")
    #expect(watch.header.revision == 0 && watch.id == 0 && watch.compactRevision == 0)
    #expect(!watch.isCreated && !watch.isCanceled && !watch.isFragment)
    #expect(watch.reason.isEmpty && watch.events.isEmpty)
    let permission = try Permission(wire: [])
    #expect(permission == Permission(kind: .read, key: [], end: []))
  }

  // M-2
  @Test func `a watch's answer is what protoc has written`() async throws {
    let answer = try await watch(
      #"""
      header { revision: 5000000000 } watch_id: -3 created: true canceled: true
      compact_revision: 77 cancel_reason: "because" fragment: true
      events { kv { key: "a" mod_revision: 8 value: "1" } prev_kv { key: "b" mod_revision: 1 } }
      events { type: DELETE kv { key: "c" mod_revision: 9 } }
      events { kv { key: "\377" mod_revision: 9 } }
      events {}
      """#)
    #expect(answer.header.revision == 5_000_000_000 && answer.compactRevision == 77)
    #expect(answer.id == -3)
    #expect(answer.isCreated && answer.isCanceled && answer.isFragment)
    #expect(answer.reason == "because")
    // A key that is no text is nobody's.
    #expect(
      answer.events == [
        .put(StoredValue(key: "a", value: [0x31], revision: 8)),
        .deleted(key: "c", revision: 9),
      ])
  }

  // M-2
  @Test func `fields of a later version are passed over`() async throws {
    let answer = try TransactionAnswer(
      try await protoc.encode(
        "Later",
        #"""
        header { revision: 3 } succeeded: true
        responses { response_range { kvs { key: "a" mod_revision: 2 value: "v" } } }
        real: -0.5 small: 1e30 zigzag: -9223372036854775808 wide: 18446744073709551615
        narrow: -1 packed: [1, -1, 300] text: "new" message { key: "x" value: "y" }
        """#))
    #expect(answer.header.revision == 3 && answer.succeeded)
    #expect(Array(answer.values) == [StoredValue(key: "a", value: [0x76], revision: 2)])
  }

  // M-12
  @Test func `revisions that can't be are refused, and other numbers are as they are`()
    async throws
  {
    for revision in ["-1", "-9223372036854775808", "9223372036854775807"] {
      let texts = [
        "header { revision: \(revision) }",
        #"responses { response_range { kvs { key: "a" mod_revision: \#(revision) } } }"#,
      ]
      for text in texts {
        await #expect(throws: StoreError.self, "\(text)") { try await transaction(text) }
      }
      await #expect(throws: StoreError.self) { try await watch("compact_revision: \(revision)") }
    }
    for id in [Int64.min, -1, .max] { #expect(try await watch("watch_id: \(id)").id == id) }
  }

  // M-8
  @Test func `a member's status and its alarms are what protoc has written`() async throws {
    let answer = try MemberAnswer(
      try await protoc.encode(
        "StatusResponse",
        #"""
        header { member_id: 10501334649042878790 revision: 12 } version: "3.4.23"
        db_size: 20480 leader: 10501334649042878790 raft_index: 8 raft_term: 2
        errors: "memberID:10501334649042878790 alarm:NOSPACE "
        errors: "memberID:7 alarm:CORRUPT " errors: "etcdserver: no leader"
        db_size_in_use: 4096 is_learner: true storage_version: "3.6.0" db_size_quota: 8589934592
        """#))
    #expect(answer.databaseBytesInUse == 4_096 && answer.quotaBytes == 8 << 30)
    #expect(answer.isLearner)
    #expect(answer.version == "3.4.23" && answer.databaseBytes == 20_480)
    #expect(answer.header.revision == 12 && answer.leader == answer.header.member)
    #expect(answer.alarms == ["NOSPACE"])
    let many = String(repeating: #"errors: "memberID:7 alarm:CORRUPT " "#, count: 100)
    let full = try await protoc.encode("StatusResponse", "header { member_id: 7 } " + many)
    #expect(try MemberAnswer(full).alarms.count == MemberAnswer.alarmsMax)
    let alarms = try await protoc.encode(
      "AlarmMember", ["member_id: 18446744073709551615 alarm: CORRUPT", "alarm: NOSPACE", ""])
    let read = try alarms.map { try RaisedAlarm(wire: $0[...]) }
    #expect(read.map(\.member) == [-1, 0, 0])
    #expect(read.map(\.name) == ["CORRUPT", "NOSPACE", "0"])
  }

  // M-8
  @Test func `permissions come back as they were`() async throws {
    for kind in [Permission.Kind.read, .write, .readAndWrite] {
      let permission = Permission(kind: kind, key: [0, 0xFF], end: [1])
      let text = #"perm_type: \#(["READ", "WRITE", "READWRITE"][Int(kind.rawValue)]) "#
      let bytes = try await protoc.encode(
        "Permission", text + #"key: "\000\377" range_end: "\001""#)
      #expect(try Permission(wire: bytes[...]) == permission)
    }
    #expect(throws: StoreError.self) { try Permission(wire: [0x08, 0x03]) }
  }

  // M-12
  @Test(arguments: [0, 1])
  func `a message has at most 262,144 values or changes`(excess: Int) async throws {
    let limit = 1 << 18
    let counts = try await onOwnThread { Self.decodedCounts(of: limit + excess) }
    #expect(counts == (excess > 0 ? [nil, nil] : [limit, limit]))
  }

  /// How many values and changes are read of so many; nil if they are refused.
  private static func decodedCounts(of count: Int) -> [Int?] {
    let value: [UInt8] = [0x0A, 0x01, 0x61]
    let values = EtcdMessages.fields { writer in
      for _ in 0..<count { writer.add(2, value) }
    }
    let read = EtcdMessages.fields { writer in
      writer.add(3) { $0.add(1, values) }
    }
    let event = EtcdMessages.fields { $0.add(2, value) }
    let watched = EtcdMessages.fields { writer in
      for _ in 0..<count { writer.add(11, event) }
    }
    return [
      Self.number { () throws(StoreError) in
        try TransactionAnswer(read).parts.reduce(0) { $0 + $1.values.count }
      },
      Self.number { () throws(StoreError) in try WatchAnswer(watched).events.count },
    ]
  }

  private static func number(_ body: () throws(StoreError) -> Int) -> Int? {
    do throws(StoreError) {
      return try body()
    } catch {
      return nil
    }
  }
}
