@testable import EtcdClient
import RevisionedStore
import Testing

/// Valid answers with random damage: each is read, or refused, and nothing else happens.
struct DamagedWireTests {
  private typealias Decode = @Sendable (_ bytes: [UInt8]) throws(StoreError) -> Int

  /// By the kind of a message: reads it, and says how much was kept of it.
  private static let decoders: [(kind: String, decode: Decode)] = [
    (
      "TxnResponse",
      { (bytes) throws(StoreError) in
        try TransactionAnswer(bytes).values.reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
      }
    ),
    (
      "WatchResponse",
      { (bytes) throws(StoreError) in
        let answer = try WatchAnswer(bytes)
        return answer.events.reduce(answer.reason.utf8.count) { $0 + $1.size - 64 }
      }
    ),
    (
      "StatusResponse",
      { (bytes) throws(StoreError) in
        let answer = try MemberAnswer(bytes)
        return answer.alarms.reduce(answer.version.utf8.count) { $0 + $1.utf8.count }
      }
    ),
    (
      "AlarmMember",
      { (bytes) throws(StoreError) in
        _ = try RaisedAlarm(wire: bytes[...]).name
        return 0
      }
    ),
    (
      "Permission",
      { (bytes) throws(StoreError) in
        let permission = try Permission(wire: bytes[...])
        return permission.key.count + permission.end.count
      }
    ),
    (
      "KeyValue",
      { (bytes) throws(StoreError) in
        let value = try StoredValue(wire: bytes[...])
        return (value?.key.utf8.count ?? 0) + (value?.value.count ?? 0)
      }
    ),
    (
      "ResponseHeader",
      { (bytes) throws(StoreError) in
        _ = try EtcdHeader(bytes[...])
        return 0
      }
    ),
  ]

  private static let samples = [
    "TxnResponse": #"""
    header { cluster_id: 99999999999999 member_id: 3 revision: 300 raft_term: 2 } succeeded: true
    responses { response_range { kvs { key: "abc" mod_revision: 200 value: "one\000" lease: -1 }
      kvs { key: "b" mod_revision: 1 } count: 2 } }
    responses { response_range { kvs { key: "\303\244" mod_revision: 300 value: "bcdefg" } } }
    """#,
    "WatchResponse": #"""
    header { revision: 5000000000 } watch_id: 3 created: true compact_revision: 77
    cancel_reason: "because" fragment: true
    events { kv { key: "a" mod_revision: 8 value: "1" } prev_kv { key: "b" mod_revision: 1 } }
    events { type: DELETE kv { key: "c" mod_revision: 9 } }
    """#,
    "StatusResponse": #"""
    header { member_id: 7 revision: 12 } version: "3.4.23" db_size: 20480 leader: 7
    errors: "memberID:7 alarm:NOSPACE " db_size_in_use: 10000 is_learner: true
    """#,
    "AlarmMember": "member_id: 18446744073709551615 alarm: CORRUPT",
    "Permission": #"perm_type: READWRITE key: "abc" range_end: "abd""#,
    "KeyValue": #"key: "abc" create_revision: 1 mod_revision: 200 version: 3 value: "12345""#,
    "ResponseHeader": "cluster_id: 99999999999999 member_id: 3 revision: 300 raft_term: 2",
  ]

  private static let rounds = 120_000
  /// Of a decoded text, each byte that is not UTF-8 has become three.
  private static let growthOfTexts = 3

  // M-12
  @Test func `a damaged answer is read or refused, and never grows`() async throws {
    let protoc = try Protoc()
    var valid: [[UInt8]] = []
    for (kind, decode) in Self.decoders {
      let bytes = try await protoc.encode(kind, Self.samples[kind] ?? "")
      _ = try decode(bytes)
      valid.append(bytes)
    }
    let (samples, seed) = (valid, UInt64.random(in: 0 ... .max))
    let (read, complaints) = try await onOwnThread { Self.damage(samples, seed) }
    #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(5))")
    // Damage that is always noticed, or never, would not have been any.
    let tenth = Self.rounds / 10
    #expect(read > tenth && read < 9 * tenth, "\(read) read, seed \(seed)")
  }

  /// How many damaged messages were read, and what should not have happened.
  private static func damage(
    _ valid: [[UInt8]], _ seed: UInt64
  ) -> (read: Int, complaints: [String]) {
    var random = SeededGenerator(seed: seed)
    var (read, complaints) = (0, [String]())
    for round in 0..<rounds {
      let position = round % valid.count
      let bytes = Damage.done(to: valid[position], with: valid, using: &random)
      do throws(StoreError) {
        let kept = try decoders[position].decode(bytes)
        read += 1
        if kept > growthOfTexts * bytes.count {
          complaints.append("round \(round): \(kept) of \(bytes.count) bytes were kept")
        }
      } catch {
        guard case .invalidAnswer = error else {
          complaints.append("round \(round): \(error)")
          continue
        }
      }
    }
    return (read, complaints)
  }

  // M-12
  @Test func `bytes that are no message are refused`() async throws {
    let protoc = try Protoc()
    let decode = Self.decoders[0].decode
    for bytes: [UInt8] in [
      [0x00, 0x00], [0x02, 0x00],  // a field 0
      [0x18], [0x1A], [0x1D, 0, 0, 0], [0x19, 0, 0, 0, 0, 0, 0, 0],  // the end comes too soon
      [0x1A, 0x01], [0x1A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [0x1C], [0x1E], [0x1F], [0x1B],  // kinds that there are not, and the start of a group
    ] {
      #expect(throws: StoreError.self, "\(bytes)") { try decode(bytes) }
      #expect(try await !protoc.accepts(bytes, as: "TxnResponse"), "\(bytes)")
    }
  }

  /// Of those kinds whose every part is read: what is passed over can be anything.
  // M-12
  @Test(arguments: ["StatusResponse", "KeyValue"])
  func `what protoc can't read is refused`(kind: String) async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let protoc = try Protoc()
    let decode = try #require(Self.decoders.first { $0.kind == kind }).decode
    let valid = try await protoc.encode(kind, Self.samples[kind] ?? "")
    var refused = 0
    for round in 0..<60 {
      let bytes = Damage.done(to: valid, with: [valid], using: &random)
      if try await protoc.accepts(bytes, as: kind) { continue }
      refused += 1
      do throws(StoreError) {
        _ = try decode(bytes)
        Issue.record("seed \(seed), round \(round): \(bytes)")
      } catch {
        // As it should be.
      }
    }
    #expect(refused > 10, "seed \(seed)")
  }
}

/// What becomes of bytes on a broken way, or in the hands of somebody who means harm.
private enum Damage {
  static func done(
    to bytes: [UInt8], with others: [[UInt8]], using random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
      switch Int.random(in: 0...6, using: &random) {
      case 0: bytes.removeSubrange(start...)
      case 1: bytes.insert(contentsOf: random.bytes(1...12), at: start)
      case 2: bytes.removeSubrange(start..<end)
      case 3: bytes.replaceSubrange(start..<end, with: random.bytes(0...8))
      case 4: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 5: bytes.insert(contentsOf: others.randomElement(using: &random) ?? [], at: start)
      default:
        if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0...7, using: &random) }
      }
    }
    return bytes
  }
}
