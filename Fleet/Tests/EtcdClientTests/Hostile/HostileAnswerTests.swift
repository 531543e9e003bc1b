@testable import EtcdClient
import RevisionedStore
import Testing

/// A server that answers requests as none should: each is an error, soon and without much memory.
@Suite(.serialized) struct HostileAnswerTests {
  /// - Parameter patience: what is long takes longer on a busy machine.
  private func reading(
    patience: Patience = Patience(), _ answer: @escaping HostileServer.Answer
  ) async throws -> StoreError? {
    let server = try HostileServer(answer)
    return await endingSoon {
      await readingError(StoreLocation(endpoints: [server.endpoint]), patience)
    }
  }

  private func isInvalid(_ error: StoreError?) -> Bool {
    if case .invalidAnswer = error { true } else { false }
  }

  // M-12
  @Test func `a proper answer is understood`() async throws {
    let found = try await reading(patience: .long) { try $0.answer(Answers.snapshot(revision: 7)) }
    #expect(found == nil)
  }

  // M-12
  @Test(arguments: [
    [0xFF], [0x0A], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x0B], [0x0A, 0x02, 0x18],
    [UInt8](repeating: 0x80, count: 4_096), Answers.snapshot(revision: -1),
    Answers.snapshot(revision: .max), Answers.snapshot(revision: 0), [],
  ])
  func `a malformed answer is refused`(bytes: [UInt8]) async throws {
    let found = try await reading(patience: .long) { try $0.answer(bytes) }
    #expect(isInvalid(found), "\(found as Any)")
  }

  // M-12
  @Test func `an answer that is larger than 64 MB is refused`() async throws {
    // Valid otherwise: what is not known is passed over.
    func answer(megabytes: Int) -> [UInt8] {
      Answers.snapshot(revision: 7)
        + EtcdMessages.fields { $0.add(100, [UInt8](repeating: 7, count: megabytes << 20)) }
    }
    let (most, more) = (answer(megabytes: 63), answer(megabytes: 64))
    #expect(try await reading(patience: .long) { try $0.answer(most) } == nil)
    let found = try await reading(patience: .long) { try $0.answer(more) }
    guard case .invalidAnswer(let text) = found, text.contains("larger than 64 MB") else {
      Issue.record("\(found as Any)")
      return
    }
  }

  // M-12
  @Test func `an answer of 4 GB is not kept until it is whole`() async throws {
    let megabyte = [UInt8](repeating: 0, count: 1 << 20)
    let needed = try await Memory.growth {
      let found = try await reading { stream in
        try stream.headers()
        try stream.data(.max, [])
        while true { try stream.more(megabyte) }
      }
      #expect(isInvalid(found), "\(found as Any)")
    }
    #expect(needed < Memory.growthMax, "\(needed) MB")
  }

  // M-12
  @Test func `a message of countless values needs no more memory than its bytes`() async throws {
    // A value that is empty takes four bytes, and ten times as many when it is decoded.
    let values = Answers.repeated([0x12, 0x02, 0x08, 0x00], megabytes: 60)
    let range = EtcdMessages.fields { $0.add(1, values) }
    // And so does an empty range of two.
    for answer in [range, Answers.repeated([0x0A, 0x00], megabytes: 60)] {
      let answer = EtcdMessages.fields { $0.add(3, answer) }
      let needed = try await Memory.growth {
        let found = try await reading(patience: .long) { try $0.answer(answer) }
        #expect(isInvalid(found), "\(found as Any)")
      }
      #expect(needed < Memory.growthMax, "\(needed) MB")
    }
  }

  // M-12
  @Test func `answers without an end are cut off`() async throws {
    let found = try await reading { stream in
      try stream.headers()
      while true { try stream.message(Answers.snapshot(revision: 7)) }
    }
    guard case .unavailable = found else {
      Issue.record("\(found as Any)")
      return
    }
  }

  // M-12
  @Test func `a call that ends without an answer is an error, whatever its status`() async throws {
    #expect(isInvalid(try await reading { try $0.trailers(0, "", isFirst: true) }))
    for code in [2, 12, 13, 99] {
      let found = try await reading { try $0.trailers(code, "because", isFirst: true) }
      guard case .refused(let text) = found, text.contains("because") else {
        Issue.record("\(found as Any)")
        continue
      }
    }
  }

  // M-12
  @Test func `silence, and a server that sends one away, are errors`() async throws {
    for answer: HostileServer.Answer in [{ _ in }, { try $0.goAway() }, { try $0.headers() }] {
      let found = try await reading(answer)
      guard case .unavailable = found else {
        Issue.record("\(found as Any)")
        continue
      }
    }
  }

  // M-12
  @Test func `a role with countless permissions is refused`() async throws {
    let server = try HostileServer { stream in
      try stream.answer(
        [UInt8](repeating: 0, count: 1 << 20).indices.map { $0 % 2 == 0 ? 0x12 : 0 })
    }
    let store = try EtcdStore(StoreLocation(endpoints: [server.endpoint]), .long)
    let found = await error { () async throws(StoreError) in
      try await store.setAccess(ofUser: "host", reading: [], writing: [])
    }
    #expect(isInvalid(found), "\(found as Any)")
  }
}
