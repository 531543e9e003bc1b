import FleetAgent
import FleetModel
import RevisionedStore
import StrataPropertyList
import StrataTesting
import Testing

/// An agent that may not read or write all that it wants.
@Suite(.timeLimit(.minutes(30)))
struct AgentRightsTests {
  private let host: HostFixture
  private let store = RightsStore()
  private let app = "managed/com.example.app.plist"
  /// Those that were reported while it ran.
  private let problems = Guarded<[String]>([])

  init() throws { host = try HostFixture() }

  private func publish(_ layer: String, _ value: String, number: Int64 = 1) async throws {
    let policy = try host.policy(layer, ["Theme": PolicyEntry(.string(value))], number: number)
    try await store.put(FleetKey.live(policy.name), try policy.bytes())
  }

  private func enroll(_ record: HostRecord) async throws {
    try await store.put(.host("web1"), try record.bytes(of: "web1"))
  }

  /// Gives the host the rights that `enroll --grant` gives for this record.
  private func grant(_ record: HostRecord) {
    let facts = HostFacts(name: "web1", record: record)
    let systems = record.os == nil ? [FleetKey.policies(of: .os)] : []
    store.rights.withLock { $0 = FleetKey.readable(by: facts) + systems }
  }

  private func service(
    _ report: @escaping @Sendable (AgentService.Event) -> Void = { _ in }
  ) -> AgentService {
    AgentService(
      host.agent().settings, store,
      sleep: { $0 < .seconds(60) ? await Task.yield() : await Follower.sleep($0) },
      report: report)
  }

  /// Runs the agent until the host has this value.
  private func run(untilTheme value: String, isOnce: Bool) async throws {
    if isOnce {
      try await service().runOnce()
    } else {
      try await whileRunning { events in try await awaitTheme(value, &events) }
    }
    #expect(try host.values(app) == ["Theme": .string(value)])
  }

  private func whileRunning(
    _ body: (inout AsyncStream<AgentService.Event>.Iterator) async throws -> Void
  ) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: AgentService.Event.self)
    let service = service { [problems] event in
      if case .problem(let text) = event { problems.withLock { $0.append(text) } }
      continuation.yield(event)
    }
    let task = Task { await service.run() }
    var iterator = events.makeAsyncIterator()
    try await body(&iterator)
    task.cancel()
    await task.value
  }

  private func awaitTheme(
    _ value: String, _ events: inout AsyncStream<AgentService.Event>.Iterator
  ) async throws {
    while try host.values(app) != ["Theme": .string(value)] {
      guard await events.next() != nil else { return }
    }
  }

  /// The next text with which a missing right is reported.
  private func denial(
    _ events: inout AsyncStream<AgentService.Event>.Iterator
  ) async -> String? {
    while let event = await events.next() {
      if case .lost(.permissionDenied(let text)) = event { return text }
    }
    return nil
  }

  // M-5, M-8
  @Test(.timeLimit(.minutes(30)), arguments: [false, true])
  func `a host that was moved to another group while it was away follows its record`(
    isOnce: Bool
  ) async throws {
    let (old, new) = (HostRecord(groups: ["build"]), HostRecord(groups: ["office"]))
    try await publish("group:build", "a")
    try await publish("group:office", "b")
    try await enroll(old)
    grant(old)
    try await run(untilTheme: "a", isOnce: true)
    try await enroll(new)
    grant(new)
    try await run(untilTheme: "b", isOnce: isOnce)
  }

  // M-5, M-8
  @Test(.timeLimit(.minutes(30)), arguments: [false, true])
  func `a host whose first record names another system than its own follows that`(
    isOnce: Bool
  ) async throws {
    try await publish("os:fedora", "a")
    try await enroll(HostRecord(os: "fedora"))
    grant(HostRecord(os: "fedora"))
    try await run(untilTheme: "a", isOnce: isOnce)
  }

  // M-5, M-8
  @Test func `an agent that was cut off follows its record when it is back`() async throws {
    let (old, new) = (HostRecord(groups: ["build"]), HostRecord(groups: ["office"]))
    try await publish("group:build", "a")
    try await publish("group:office", "b")
    try await enroll(old)
    grant(old)
    try await whileRunning { events in
      try await awaitTheme("a", &events)
      store.fail(with: .unavailable("cut"))
      while let event = await events.next(), event != .lost(.unavailable("cut")) {}
      try await enroll(new)
      grant(new)
      store.fail(with: nil)
      try await awaitTheme("b", &events)
    }
  }

  // M-4, M-8
  @Test func `missing rights are reported with the command that grants them, and then used`()
    async throws
  {
    let record = HostRecord(groups: ["build"])
    try await publish("group:build", "a")
    try await enroll(record)
    grant(HostRecord())
    let error = await #expect(throws: StoreError.self) { try await service().runOnce() }
    #expect(error?.description.contains("enroll web1 --grant") == true, "\(error as Any)")
    try await whileRunning { events in
      #expect(await denial(&events)?.contains("enroll web1 --grant") == true)
      grant(record)
      try await awaitTheme("a", &events)
      while let event = await events.next(), event != .restored {}
      // Also if it was the network at first.
      store.fail(with: .unavailable("cut"))
      while let event = await events.next(), event != .lost(.unavailable("cut")) {}
      grant(HostRecord())
      store.fail(with: nil)
      #expect(await denial(&events)?.contains("enroll web1 --grant") == true)
    }
    #expect(try host.values(app) == ["Theme": "a"])
  }

  // M-5, M-8
  @Test func `a status that the store refuses is reported once, and again after it was accepted`()
    async throws
  {
    grant(HostRecord())
    store.mayWrite.withLock { $0 = false }
    var attempts = store.attempts.makeAsyncIterator()
    try await whileRunning { events in
      // The first one says that there are no policies.
      _ = await attempts.next()
      for (number, mayWrite) in [(1, false), (2, false), (3, true), (4, false)] {
        store.mayWrite.withLock { $0 = mayWrite }
        try await publish("all", "\(number)", number: Int64(number))
        try await awaitTheme("\(number)", &events)
        _ = await attempts.next()
      }
      while problems.withLock({ $0.count }) < 2, await events.next() != nil {}
    }
    let found = problems.withLock { $0 }
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.contains(FleetKey.status("web1").text) }, "\(found)")
  }
}

/// A store in memory of which one client may not read everything.
private final class RightsStore: RevisionedStore {
  private let memory = InMemoryStore()
  /// What the client may read.
  let rights = Guarded<[KeyRange]>([])
  let mayWrite = Guarded(true)
  /// When the client has tried to change something.
  let attempts: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (attempts, continuation) = AsyncStream.makeStream(of: Void.self) }

  /// As an administrator.
  func put(_ key: FleetKey, _ value: [UInt8]) async throws {
    _ = try await memory.otherClient().commit(
      StoreTransaction(operations: [.put(key: key.text, value: value)]))
  }

  func fail(with error: StoreError?) { memory.fail(with: error) }

  /// As etcd, which refuses the whole request for one range.
  private func check(_ ranges: [KeyRange]) throws(StoreError) {
    let allowed = rights.withLock { $0 }
    let isAllowed = ranges.allSatisfy { range in
      switch range {
      case .key(let text), .prefix(let text): allowed.contains { $0.contains(text) }
      }
    }
    if !isAllowed { throw .permissionDenied("etcdserver: permission denied") }
  }

  func read(_ ranges: [KeyRange]) async throws(StoreError) -> StoreSnapshot {
    let snapshot = try await memory.read(ranges)
    try check(ranges)
    return snapshot
  }

  func commit(_ transaction: StoreTransaction) async throws(StoreError) -> CommitResult {
    defer { continuation.yield() }
    guard mayWrite.withLock({ $0 }) else {
      throw .permissionDenied("etcdserver: permission denied")
    }
    return try await memory.commit(transaction)
  }

  func watch(
    _ ranges: [KeyRange], after revision: Int64, _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    _ = try await read(ranges)
    try await memory.watch(ranges, after: revision, receive)
  }

  func grantLease(seconds: Int64) async throws(StoreError) -> Int64 {
    try await memory.grantLease(seconds: seconds)
  }
  func renewLease(_ lease: Int64) async throws(StoreError) { try await memory.renewLease(lease) }
  func revokeLease(_ lease: Int64) async throws(StoreError) { try await memory.revokeLease(lease) }
}
