import RevisionedStore

/// One stream with a watch for each of several ranges.
struct EtcdWatch {
  private let call: ChannelCall
  private var ranges: [WatchedRange]
  /// Which range a watch is for, by the number that the server gave it.
  private var positions: [Int64: Int] = [:]
  /// What the server said when it created the watches.
  private var header = EtcdHeader()
  /// The last revision that was seen before.
  private let seen: Int64
  /// How long each of the watches may take to be created.
  private let patience: Duration

  /// What is held until all are created: about what a history has that is caught up with at once.
  private static let earlyMax = 128 << 20

  init(
    _ ranges: [KeyRange], starts: [Int64], _ call: ChannelCall, within patience: Duration
  ) {
    self.ranges = zip(ranges, starts).map { WatchedRange($0, after: $1) }
    self.call = call
    self.patience = patience
    seen = starts.max() ?? 0
  }

  /// - Parameters:
  ///   - report: is given what is new.
  ///   - present: what the store says of itself now, by agreement of its members.
  consuming func run(
    _ report: (WatchBatch) async -> Void,
    present: () async throws(StoreError) -> EtcdHeader
  ) async throws(StoreError) -> Never {
    defer { call.cancel() }
    // What comes before all are created is reported with the first batch.
    var early: [WatchBatch.Event] = []
    for position in ranges.indices {
      early += try await create(position)
    }
    // A member can be behind the others; what they agree on is behind only if changes were lost,
    // and then there would be nothing to report for as long as that is so.
    if header.revision < seen || header.cluster == 0 { header = try await present() }
    guard header.revision >= seen else {
      throw .rebuilt("its revision is \(header.revision), and was \(seen)")
    }
    await report(batch(early))
    while true {
      let answer = try await receive()
      if answer.isCreated { throw .invalidAnswer("watch \(answer.id) was not asked for") }
      let events = try take(answer)
      if !events.isEmpty { await report(batch(events)) }
    }
  }

  /// One after another, since only their order says which range a created watch is for.
  ///
  /// - Returns: what others report meanwhile.
  private mutating func create(_ position: Int) async throws(StoreError) -> [WatchBatch.Event] {
    // For each, since a host can have many, and be far away.
    var deadline = deadline()
    defer { deadline.cancel() }
    let range = ranges[position]
    let request = EtcdMessages.watch(range.range, from: range.progress + 1)
    guard await call.send(request) else { throw await end() }
    var events: [WatchBatch.Event] = []
    var size = 0
    while true {
      let answer = try await receive()
      if answer.isCreated {
        guard positions.updateValue(position, forKey: answer.id) == nil else {
          throw .invalidAnswer("watch \(answer.id) was created twice")
        }
        header = answer.header
      }
      let more = try take(answer)
      size += more.reduce(0) { $0 + $1.size }
      guard size <= Self.earlyMax else {
        throw .invalidAnswer("others report too much before watch \(position) is created")
      }
      events += more
      if answer.isCreated { return events }
      if more.isEmpty { continue }
      // What others report comes first, and can take its time.
      deadline.cancel()
      deadline = self.deadline()
    }
  }

  /// Ends the stream when the patience is over. The library's own deadline would end it when it
  /// works.
  private func deadline() -> Task<Void, any Error> {
    Task { [call, patience] in
      try await Task.sleep(for: patience)
      call.cancel()
    }
  }

  private func batch(_ events: [WatchBatch.Event]) -> WatchBatch {
    WatchBatch(
      revisions: ranges.map(\.progress), events: events, store: header.cluster)
  }

  /// The next answer, which does not end the watch.
  private func receive() async throws(StoreError) -> WatchAnswer {
    guard let bytes = await call.receive() else { throw await end() }
    let answer = try WatchAnswer(bytes)
    // A watch that is refused is both created and canceled.
    guard answer.isCanceled else { return answer }
    if answer.compactRevision > 0 { throw .compacted(revision: answer.compactRevision) }
    throw EtcdErrors.error(ofCanceledWatch: answer.reason)
  }

  private mutating func take(_ answer: WatchAnswer) throws(StoreError) -> [WatchBatch.Event] {
    guard let position = positions[answer.id] else {
      throw .invalidAnswer("it is for a watch that does not exist, \(answer.id)")
    }
    return try ranges[position].take(answer)
  }

  private func end() async -> StoreError {
    let status = await call.finish()
    if Task.isCancelled { return .cancelled }
    if status.code == 1 {
      return .unavailable("no watch was created within \(patience.components.seconds) seconds")
    }
    if status.code == 0 { return .unavailable("the server ended the stream") }
    return EtcdErrors.error(of: status, isChange: false)
  }
}
