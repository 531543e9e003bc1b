@testable import EtcdClient
import Glibc
import RevisionedStore
import Testing

/// A server that reports changes as none should.
@Suite(.serialized) struct HostileWatchTests {
  /// The error by which a watch after revision 7 ends, and what it reported before.
  /// - Parameter patience: only tests that are about it watch as hosts do.
  private func watching(
    _ ranges: [KeyRange] = [.key("a")], _ patience: Patience = Patience(watch: .seconds(600)),
    by answer: @escaping HostileServer.Answer
  ) async throws -> (error: StoreError?, revisions: [Int64]) {
    let server = try HostileServer(answer)
    let store = try EtcdStore(StoreLocation(endpoints: [server.endpoint]), patience)
    let log = RevisionLog()
    let found = await endingSoon {
      await error { () async throws(StoreError) in
        try await store.watch(ranges, after: 7) { await log.add($0) }
      }
    }
    return (found, await log.revisions)
  }

  private func expectInvalid(_ answers: [[UInt8]], reported: [Int64] = []) async throws {
    let (found, revisions) = try await watching { stream in
      try stream.headers()
      for answer in answers { try stream.message(answer) }
    }
    guard case .invalidAnswer = found else {
      Issue.record("\(found as Any)")
      return
    }
    #expect(revisions == reported)
  }

  private static let created = Answers.watch(created: true)

  // M-12
  @Test func `revisions that go back, are negative or too large are refused`() async throws {
    for revision: Int64 in [7, 3, 0, -1, .min, .max] {
      try await expectInvalid([Self.created, Answers.watch(events: [("a", revision)])])
    }
    try await expectInvalid(
      [Self.created, Answers.watch(events: [("a", 9)]), Answers.watch(events: [("a", 8)])],
      reported: [9])
    try await expectInvalid([Self.created, Answers.watch(events: [("a", 9), ("a", 8)])])
    try await expectInvalid([Self.created, Answers.watch(revision: -5)])
  }

  // M-12
  @Test func `what was not asked for is refused`() async throws {
    try await expectInvalid([Self.created, Answers.watch(events: [("b", 9)])])
    try await expectInvalid([Self.created, Answers.watch(5, events: [("a", 9)])])
    try await expectInvalid([Self.created, Self.created])
    try await expectInvalid([Answers.watch(events: [("a", 9)])])
    try await expectInvalid([Self.created, [0xFF]])
  }

  // M-3 M-12
  @Test func `a watch that is created and canceled at once is canceled`() async throws {
    for (answer, expected) in [
      (
        Answers.watch(created: true, canceled: true, reason: "etcdserver: permission denied"),
        StoreError.permissionDenied("etcdserver: permission denied")
      ),
      (Answers.watch(created: true, canceled: true, compacted: 40), .compacted(revision: 40)),
    ] {
      let (found, revisions) = try await watching { stream in
        try stream.headers()
        try stream.message(answer)
      }
      #expect(found == expected)
      #expect(revisions == [])
    }
  }

  // M-3 M-12
  @Test func `a watch that is never created ends after three seconds`() async throws {
    for answer: HostileServer.Answer in [{ _ in }, { try $0.headers() }] {
      let (found, _) = try await watching([.key("a")], Patience(), by: answer)
      #expect(found == .unavailable("no watch was created within 3 seconds"))
    }
  }

  // M-4
  @Test func `each watch has three seconds, and more while others report`() async throws {
    let reports = (9...16).map { Answers.watch(events: [("a", $0)]) }
    let answers = [Self.created] + reports + [Answers.watch(1, created: true)]
    let (found, revisions) = try await watching([.key("a"), .key("b")], Patience()) { stream in
      try stream.headers()
      for answer in answers {
        usleep(500_000)
        try stream.message(answer)
      }
      try stream.trailers(0, "")
    }
    #expect(found == .unavailable("the server ended the stream"))
    #expect(revisions == Array(9...16))
  }

  /// Answers a watch after revision 7, and then the question how far the store is.
  private func behind(_ present: @escaping HostileServer.Answer) -> HostileServer.Answer {
    { stream in
      guard stream.number == 1 else { return try present(stream) }
      try stream.headers()
      try stream.message(Answers.watch(revision: 6, created: true))
      try stream.message(Answers.watch(revision: 8, events: [("a", 8)]))
      try stream.trailers(0, "")
    }
  }

  // M-3 M-12
  @Test func `a member may be behind, and all of them together may not`() async throws {
    var (found, revisions) = try await watching(
      by: behind { try $0.answer(Answers.count(revision: 7)) })
    #expect(found == .unavailable("the server ended the stream"))
    #expect(revisions == [8])
    (found, revisions) = try await watching(
      by: behind { try $0.answer(Answers.count(revision: 6)) })
    #expect(found == .rebuilt("its revision is 6, and was 7"))
    #expect(revisions == [])
    (found, revisions) = try await watching(by: behind { try $0.answer([0xFF]) })
    #expect(found == .invalidAnswer("a message is malformed"))
    #expect(revisions == [])
  }

  // M-12
  @Test func `a stream that ends, or is sent away, is an error`() async throws {
    for answer: HostileServer.Answer in [
      { try $0.trailers(0, "", isFirst: true) }, { try $0.goAway() },
    ] {
      let (found, _) = try await watching(by: answer)
      guard case .unavailable = found else {
        Issue.record("\(found as Any)")
        continue
      }
    }
  }

  // M-12
  @Test func `a message of countless events needs no more memory than its bytes`() async throws {
    let events = Answers.repeated([0x5A, 0x02, 0x12, 0x00], megabytes: 60)
    let needed = try await Memory.growth {
      try await expectInvalid([Self.created, events])
    }
    #expect(needed < Memory.growthMax, "\(needed) MB")
  }

  /// A change of a megabyte.
  private static func large(revision: Int64, isFragment: Bool = false) -> [UInt8] {
    EtcdMessages.fields { writer in
      writer.add(1) { $0.add(3, revision) }
      writer.add(7, isFragment)
      writer.add(11) { event in
        event.add(2) { value in
          value.add(1, "a")
          value.add(3, revision)
          value.add(5, [UInt8](repeating: 7, count: 1_000_000))
        }
      }
    }
  }

  // M-12
  @Test func `changes without an end, before all is watched, are cut off`() async throws {
    let (found, _) = try await watching([.key("a"), .key("b")]) { stream in
      try stream.headers()
      try stream.message(Self.created)
      for revision in Int64(8)... { try stream.message(Self.large(revision: revision)) }
    }
    guard case .invalidAnswer(let text) = found, text.contains("others report too much") else {
      Issue.record("\(found as Any)")
      return
    }
  }

  // M-12
  @Test func `a revision whose fragments have no end is cut off`() async throws {
    let (found, revisions) = try await watching { stream in
      try stream.headers()
      try stream.message(Self.created)
      // So many that it does not run for ever if nobody stops it.
      for _ in 0..<500 { try stream.message(Self.large(revision: 8, isFragment: true)) }
    }
    guard case .invalidAnswer(let text) = found, text.contains("larger than a transaction")
    else {
      Issue.record("\(found as Any)")
      return
    }
    #expect(revisions == [])
  }

  // M-12
  @Test func `a watch of a server that never stops can be cancelled`() async throws {
    let server = try HostileServer { stream in
      try stream.headers()
      try stream.message(Self.created)
      while true { try stream.message(Answers.watch()) }
    }
    let store = try EtcdStore(StoreLocation(endpoints: [server.endpoint]), .long)
    let log = RevisionLog()
    let task = Task {
      await error { () async throws(StoreError) in
        try await store.watch([.key("a")], after: 7) { await log.add($0) }
      }
    }
    let _: Bool = try await awaited { await log.batchCount > 0 ? true : nil }
    task.cancel()
    #expect(await task.value == .cancelled)
  }
}

/// The revisions of the changes that a watch reported.
private actor RevisionLog {
  private(set) var revisions: [Int64] = []
  private(set) var batchCount = 0

  func add(_ batch: WatchBatch) {
    batchCount += 1
    revisions += batch.events.map(\.revision)
  }
}
