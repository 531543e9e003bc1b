import FleetAgent
import FleetModel
import Glibc
import RevisionedStore
import StrataPropertyList
import Testing

/// An agent with a store.
@Suite(.timeLimit(.minutes(30)))
struct AgentServiceTests {
  private let host: HostFixture
  private let store = InMemoryStore()
  private let app = "managed/com.example.app.plist"

  init() throws { host = try HostFixture() }

  /// Puts a policy into the store, as an administrator's command does.
  private func publish(_ layer: String, _ entries: [String: PolicyEntry]) async throws {
    let name = try host.policy(layer, [:]).name
    let circumstances = Edit.Circumstances(
      author: "ann", reason: "a test", time: PropertyListDate(secondsSinceReference: 0))
    let publication = Publication(try await store.otherClient().read([FleetKey.allPolicies]))
    let changes = try publication.changes(
      by: [(name, .publish(PolicyContent(entries: entries), to: nil))], circumstances)
    let transaction = try publication.transaction(
      for: changes, "publish", circumstances, unique: .random(in: 0 ... .max))
    guard case .committed = try await store.otherClient().commit(transaction) else {
      throw FleetProblem(layer, "conflict")
    }
  }

  private func enroll(_ record: HostRecord) async throws {
    _ = try await store.otherClient().commit(
      StoreTransaction(operations: [
        .put(key: FleetKey.host("web1").text, value: try record.bytes(of: "web1"))
      ]))
  }

  private func status() async throws -> HostStatus? {
    try await store.otherClient().read([FleetKey.allStatuses]).values.first
      .map { try HostStatus.decode($0.value, of: "web1") }
  }

  /// An agent that runs while the body does, and what it reports.
  private func whileRunning(
    os: String? = "debian",
    _ body: (inout AsyncStream<AgentService.Event>.Iterator) async throws -> Void
  ) async throws {
    let (events, continuation) = AsyncStream.makeStream(of: AgentService.Event.self)
    var settings = host.agent().settings
    settings.os = os
    let service = AgentService(settings, store) { continuation.yield($0) }
    let task = Task { await service.run() }
    var iterator = events.makeAsyncIterator()
    try await body(&iterator)
    task.cancel()
    await task.value
  }

  /// Waits until the host has a value.
  private func awaitValues(
    _ values: [String: PropertyListValue]?,
    _ events: inout AsyncStream<AgentService.Event>.Iterator
  ) async throws {
    while try host.values(app) != values {
      guard await events.next() != nil else { return }
    }
  }

  // M-5
  @Test func `once, it applies what the store says, and reports that`() async throws {
    try await enroll(HostRecord(groups: ["build"]))
    try await publish("group:build", ["Theme": PolicyEntry("dark")])
    let service = AgentService(host.agent().settings, store) { _ in }
    try await service.runOnce()
    #expect(try host.values(app) == ["Theme": "dark"])
    let status = try #require(try await status())
    #expect(status.versions == ["group:build/com.example.app": 1])
    #expect(status.problems == [])
    #expect(await service.metrics.contains("strata_fleet_policies 1\n"))
  }

  // M-5
  @Test func `it follows what is published, and what its record says`() async throws {
    try await publish("all", ["Theme": PolicyEntry("a")])
    try await whileRunning { events in
      try await awaitValues(["Theme": "a"], &events)
      try await publish("all", ["Theme": PolicyEntry("b")])
      try await awaitValues(["Theme": "b"], &events)
      try await publish("group:build", ["Theme": PolicyEntry("c")])
      try await enroll(HostRecord(groups: ["build"]))
      try await awaitValues(["Theme": "c"], &events)
      try await enroll(HostRecord())
      try await awaitValues(["Theme": "b"], &events)
    }
    #expect(try host.values(app) == ["Theme": "b"])
  }

  // M-5
  @Test func `what a state says that can be read only later is followed`() async throws {
    try await publish("os:debian", ["Theme": PolicyEntry("a")])
    try await AgentService(host.agent().settings, store) { _ in }.runOnce()
    let (state, saved) = (host.stateFile, host.stateFile + ".saved")
    try #require(rename(state, saved) == 0 && symlink(state, state) == 0)
    try await whileRunning(os: nil) { events in
      try await publish("all", ["Size": PolicyEntry(1)])
      while let event = await events.next() {
        if case .applied = event { break }
      }
      #expect(try host.values(app)?["Theme"] == "a")
      try #require(rename(saved, state) == 0)
      try await publish("all", ["Size": PolicyEntry(2)])
      try await awaitValues(["Theme": "a", "Size": 2], &events)
      try await publish("os:debian", ["Theme": PolicyEntry("b")])
      try await awaitValues(["Theme": "b", "Size": 2], &events)
    }
  }

  // M-7
  @Test func `an end that is published while the agent waits is not slept through`() async throws {
    let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
    let service = AgentService(
      host.agent().settings, store,
      sleep: { duration in
        continuation.yield(duration)
        await Follower.sleep(.seconds(1_000))
      }, report: { _ in })
    let task = Task { await service.run() }
    defer { task.cancel() }
    try await publish("all", ["Theme": PolicyEntry("a")])
    var iterator = pauses.makeAsyncIterator()
    while let pause = await iterator.next(), pause != .seconds(60) {}
    let end = PropertyListDate(secondsSinceReference: 10)
    try await publish("all", ["Theme": PolicyEntry("a", until: end)])
    while let pause = await iterator.next(), pause != .seconds(10) {}
  }

  // M-5
  @Test func `a changed host reports its status, also after the store was away`() async throws {
    try await publish("all", ["Theme": PolicyEntry("a")])
    try await whileRunning { events in
      try await awaitValues(["Theme": "a"], &events)
      try await awaitStatus(version: 1)
      store.fail(with: .unavailable("cut"))
      while let event = await events.next(), event != .lost(.unavailable("cut")) {}
      try await publish("all", ["Theme": PolicyEntry("b")])
      store.fail(with: nil)
      try await awaitStatus(version: 2)
    }
  }

  // M-11
  @Test func `a host reports its status whose record changed while the store was away`()
    async throws
  {
    try await publish("group:build", ["Theme": PolicyEntry("a")])
    try await enroll(HostRecord(groups: ["build"]))
    store.fail(with: .unavailable("cut"))
    try await whileRunning { events in
      while let event = await events.next(), event != .lost(.unavailable("cut")) {}
      store.fail(with: nil)
      while let event = await events.next(), event != .restored {}
      try await awaitValues(["Theme": "a"], &events)
      try await awaitStatus(version: 1, of: "group:build/com.example.app")
    }
  }

  // M-11
  @Test func `a host of many reports later than one of a few`() async throws {
    let pauses = AsyncStream.makeStream(of: Duration.self)
    let service = AgentService(
      host.agent().settings, store,
      sleep: { duration in
        // The minute of the next look, and the half hour of a watch.
        if duration >= .seconds(60) { return await Follower.sleep(duration) }
        pauses.continuation.yield(duration)
        await Task.yield()
      }, report: { _ in })
    let task = Task { await service.run() }
    defer { task.cancel() }
    try await publish("all", ["Theme": PolicyEntry("1")])
    try await awaitStatus(version: 1)
    for _ in 0..<25_000 {
      _ = try await store.otherClient().commit(
        StoreTransaction(operations: [.put(key: FleetKey.audit("other").text, value: [])]))
    }
    for version: Int64 in 2...7 {
      try await publish("all", ["Theme": PolicyEntry(.string("\(version)"))])
      try await awaitStatus(version: version)
    }
    pauses.continuation.finish()
    let found = await pauses.stream.reduce(into: []) { $0.append($1) }
    #expect(found.prefix(2).allSatisfy { $0 < .seconds(1) })
    // A random part of 50 seconds, then of 25 and so on: all of them are that short once in 300,000
    // times.
    #expect(found.dropFirst(2).contains { $0 >= .seconds(1) })
  }

  private func awaitStatus(
    version: Int64, of policy: String = "all/com.example.app"
  ) async throws {
    let status = FleetKey.status("web1").text
    while true {
      let found = try await store.otherClient().read([.key(status)])
      let known = try found.values.first.map { try HostStatus.decode($0.value, of: "web1") }
      if known?.versions[policy] == version { return }
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      let watch = Task { [store] in
        do throws(StoreError) {
          try await store.otherClient().watch([.key(status)], after: found.revision) { batch in
            if !batch.events.isEmpty { continuation.yield() }
          }
        } catch { continuation.finish() }
      }
      for await _ in changes { break }
      watch.cancel()
    }
  }

  private func awaitRebuilt(
    _ events: inout AsyncStream<AgentService.Event>.Iterator
  ) async throws {
    while let event = await events.next() {
      if case .rebuilt(let before, let after) = event { return #expect(before > after) }
    }
  }

  // M-3, M-5
  @Test(.timeLimit(.minutes(30)), arguments: [false, true])
  func `a store that starts anew is reported, also after a restart`(isRestarted: Bool)
    async throws
  {
    for value in ["c", "d", "a", "e", "b"] {
      try await publish("all", ["Theme": PolicyEntry(.string(value))])
    }
    try await publish("os:debian", ["Size": PolicyEntry(1)])
    func startAnew() async throws {
      store.startAnew(asSame: true)
      try await publish("os:debian", ["Size": PolicyEntry(2)])
    }
    try await whileRunning { events in
      try await awaitValues(["Theme": "b", "Size": 1], &events)
      if isRestarted { return }
      try await startAnew()
      try await awaitRebuilt(&events)
      try await awaitValues(["Theme": "b", "Size": 2], &events)
    }
    guard isRestarted else { return }
    try await startAnew()
    try await whileRunning { events in
      try await awaitRebuilt(&events)
      try await awaitValues(["Theme": "b", "Size": 2], &events)
    }
  }

  // M-5
  @Test func `while the store can't be reached, nothing changes, and then what was missed does`()
    async throws
  {
    try await publish("all", ["Theme": PolicyEntry("a")])
    try await whileRunning { events in
      try await awaitValues(["Theme": "a"], &events)
      store.fail(with: .unavailable("cut"))
      while let event = await events.next(), event != .lost(.unavailable("cut")) {}
      try await publish("all", ["Theme": PolicyEntry("b")])
      #expect(try host.values(app) == ["Theme": "a"])
      store.fail(with: nil)
      try await awaitValues(["Theme": "b"], &events)
    }
    #expect(try host.values(app) == ["Theme": "b"])
  }
}
