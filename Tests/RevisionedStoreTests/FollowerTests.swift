import Testing

@testable import RevisionedStore

/// Following a store that ends, comes back, and forgets.
struct FollowerTests {
  /// What a follower reports, in turn.
  private final class Updates: Sendable {
    let stream: AsyncStream<FollowUpdate>
    private let task: Task<Void, Never>

    init(_ store: InMemoryStore, pauses: AsyncStream<Duration>.Continuation? = nil) {
      let (stream, continuation) = AsyncStream.makeStream(of: FollowUpdate.self)
      self.stream = stream
      let follower = Follower(store) { duration in
        // Only a watch's own time takes as long as that.
        if duration > .seconds(60) { return await Follower.sleep(duration) }
        pauses?.yield(duration)
        await Task.yield()
      }
      task = Task { await follower.follow([.prefix("k")]) { continuation.yield($0) } }
    }

    deinit { task.cancel() }
  }

  @discardableResult
  private func put(_ store: InMemoryStore, _ key: String) async throws -> Int64 {
    let result = try await store.commit(
      StoreTransaction(operations: [.put(key: key, value: [])]))
    guard case .committed(let revision) = result else { return 0 }
    return revision
  }

  // M-3, M-11
  @Test func `those who began together do not make their watches anew together`() async {
    let (times, continuation) = AsyncStream.makeStream(of: Duration.self)
    let follower = Follower(InMemoryStore(), watchTime: .seconds(1_000)) { duration in
      continuation.yield(duration)
      await Follower.sleep(.seconds(600))
    }
    var seen: [Duration] = []
    for _ in 0..<20 {
      let task = Task { await follower.follow([.prefix("k")]) { _ in } }
      for await time in times.prefix(1) { seen.append(time) }
      task.cancel()
      await task.value
    }
    #expect(seen.allSatisfy { (.seconds(750)...(.seconds(1_000))).contains($0) }, "\(seen)")
    #expect(Set(seen).count > 15)
  }

  // M-3
  @Test func `a snapshot comes first, then each change, also those made while away`() async throws {
    let store = InMemoryStore()
    try await put(store, "k1")
    let updates = Updates(store)
    var iterator = updates.stream.makeAsyncIterator()
    guard case .snapshot(let snapshot) = await iterator.next() else {
      Issue.record("there is no snapshot")
      return
    }
    #expect(snapshot.values.map(\.key) == ["k1"])
    try await put(store, "k2")
    #expect(await iterator.next()?.keys == ["k2"])
    store.fail(with: .unavailable("cut"))
    #expect(await iterator.next() == .lost(.unavailable("cut")))
    store.fail(with: nil)
    try await put(store, "other")
    try await put(store, "k3")
    #expect(await iterator.next() == .restored)
    #expect(await iterator.next()?.keys == ["k3"])
  }

  // M-3
  @Test func `after a compaction while away, there is another snapshot`() async throws {
    let store = InMemoryStore()
    let updates = Updates(store)
    var iterator = updates.stream.makeAsyncIterator()
    _ = await iterator.next()
    try await put(store, "k1")
    #expect(await iterator.next()?.keys == ["k1"])
    store.fail(with: .unavailable("cut"))
    #expect(await iterator.next() == .lost(.unavailable("cut")))
    let other = store.otherClient()
    try await put(other, "k2")
    let last = try await put(other, "k3")
    other.compact(to: last)
    store.fail(with: nil)
    let snapshot = try #require(await iterator.nextOfStore()?.snapshot)
    #expect(snapshot.values.map(\.key) == ["k1", "k2", "k3"])
    #expect(snapshot.revision == last)
  }

  // M-3
  @Test(.timeLimit(.minutes(30)), arguments: [2, 20])
  func `a store that starts anew is read anew, however far it is`(count: Int) async throws {
    let store = InMemoryStore()
    for number in 0..<8 { try await put(store, "k\(number)") }
    let updates = Updates(store)
    var iterator = updates.stream.makeAsyncIterator()
    _ = await iterator.next()
    store.fail(with: .unavailable("cut"))
    #expect(await iterator.next() == .lost(.unavailable("cut")))
    // One that has come farther is known by its number, which the other may still have.
    store.startAnew(asSame: count < 8)
    let other = store.otherClient()
    for number in 0..<count { try await put(other, "knew\(number)") }
    store.fail(with: nil)
    let snapshot = try #require(await iterator.nextOfStore()?.snapshot)
    #expect(snapshot.values.count == count)
    try await put(other, "k9")
    #expect(await iterator.nextOfStore()?.keys == ["k9"])
  }

  // M-3
  @Test func `pauses double from 50 milliseconds to the longest, less a random part`() {
    var state = FollowState(pauseMax: 2_000)
    state.didRead(at: 7)
    var actions: [FollowState.Action] = []
    for _ in 0..<40 {
      _ = state.didFail(.unavailable(""))
      actions += [state.next(random: 0), state.next(random: 0)]
    }
    let pauses = [25, 50, 100, 200, 400, 800] + [Int64](repeating: 1_000, count: 34)
    #expect(actions == pauses.flatMap { [.wait($0), .watch(after: 7)] })
    _ = state.didReceive(upTo: 9)
    _ = state.didFail(.unavailable(""))
    let longer = state.next(random: 0.999)
    #expect(longer == .wait(49))
  }

  // M-3
  @Test func `the store is reported as lost once, and as restored once`() {
    var state = FollowState(pauseMax: 2_000)
    let lost = [state.didFail(.unavailable("")), state.didFail(.permissionDenied(""))]
    let restored = [state.didReceive(upTo: 1), state.didReceive(upTo: 2)]
    #expect(lost == [true, false])
    #expect(restored == [true, false])
  }

  // M-3
  @Test func `a store that another follower reported as lost is reported as restored`() {
    var state = FollowState(pauseMax: 2_000, isLost: true)
    let isLost = state.didFail(.unavailable(""))
    let isRestored = state.didReceive(upTo: 1)
    #expect(!isLost && isRestored)
  }

  // M-3
  @Test(arguments: [StoreError.compacted(revision: 9), .rebuilt("")])
  func `a lost history asks for a snapshot at once, and one after another with pauses`(
    error: StoreError
  ) {
    var state = FollowState(pauseMax: 2_000)
    state.didRead(at: 7)
    let isTold = state.didFail(error)
    #expect(!isTold)
    var actions = [state.next(random: 0)]
    state.didRead(at: 9)
    _ = state.didFail(error)
    actions += [state.next(random: 0), state.next(random: 0)]
    #expect(actions == [.read, .wait(50), .read])
  }
}

extension FollowUpdate {
  /// The keys of changes.
  var keys: [String]? {
    guard case .changes(let batch) = self else { return nil }
    return batch.events.map { event in
      switch event {
      case .put(let value): value.key
      case .deleted(let key, _): key
      }
    }
  }

  var snapshot: StoreSnapshot? { if case .snapshot(let snapshot) = self { snapshot } else { nil } }
}

extension AsyncStream<FollowUpdate>.Iterator {
  /// The next update that is not about whether the store can be reached again.
  mutating func nextOfStore() async -> FollowUpdate? {
    let update = await next()
    return update == .restored ? await next() : update
  }
}
