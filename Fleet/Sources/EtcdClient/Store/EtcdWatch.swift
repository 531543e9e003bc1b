import RevisionedStore

/// One stream with a watch for each of several ranges.
struct EtcdWatch {
  private let ranges: [KeyRange]
  private let call: ChannelCall
  /// Up to which revision each range has been reported.
  private var progress: [Int64]
  private var created: Set<Int64> = []

  init(_ ranges: [KeyRange], starts: [Int64], _ call: ChannelCall) async throws(StoreError) {
    self.ranges = ranges
    self.call = call
    progress = starts
  }

  /// - Parameter report: is told how far each range has come, and what is new.
  consuming func run(
    _ report: ([Int64], WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    defer { call.cancel() }
    let call = call
    // The library's own deadline would end the stream when it works.
    let deadline = Task {
      try await Task.sleep(for: .seconds(3))
      call.cancel()
    }
    defer { deadline.cancel() }
    for (position, range) in ranges.enumerated() {
      let request = EtcdMessages.watch(
        range, from: progress[position] + 1, id: Int64(position) + 1)
      guard await call.send(request) else { throw await end() }
    }
    // What came before all were created is reported with the first batch.
    var early: [WatchBatch.Event] = []
    while true {
      guard let bytes = await call.receive() else { throw await end() }
      let answer = try WatchAnswer(bytes)
      let events = try take(answer)
      if created.count < ranges.count {
        early += events
        continue
      }
      if answer.isCreated {
        deadline.cancel()
        await report(progress, batch(early))
        early = []
        if events.isEmpty { continue }
      }
      if !events.isEmpty { await report(progress, batch(events)) }
    }
  }

  private func batch(_ events: [WatchBatch.Event]) -> WatchBatch {
    WatchBatch(revision: progress.min() ?? 0, events: events)
  }

  /// The events of an answer, which must be those that were asked for.
  private mutating func take(_ answer: WatchAnswer) throws(StoreError) -> [WatchBatch.Event] {
    // A watch that is refused is both created and canceled.
    if answer.isCanceled {
      if answer.compactRevision > 0 { throw .compacted(revision: answer.compactRevision) }
      throw answer.reason.contains("permission")
        ? .permissionDenied(answer.reason) : .refused("the watch was canceled: \(answer.reason)")
    }
    guard (1...Int64(ranges.count)).contains(answer.id) else {
      throw .invalidAnswer("it is for a watch that does not exist, \(answer.id)")
    }
    if answer.isCreated {
      guard created.insert(answer.id).inserted else {
        throw .invalidAnswer("watch \(answer.id) was created twice")
      }
    }
    let position = Int(answer.id) - 1
    var last = progress[position]
    for event in answer.events {
      let key =
        switch event {
        case .put(let value): value.key
        case .deleted(let key, _): key
        }
      guard ranges[position].contains(key), event.revision >= last,
        event.revision > progress[position]
      else {
        throw .invalidAnswer("an event at revision \(event.revision) is not one that is due")
      }
      last = event.revision
    }
    if answer.events.isEmpty, !answer.isCreated { last = max(last, answer.revision) }
    progress[position] = last
    return answer.events
  }

  private func end() async -> StoreError {
    let status = await call.finish()
    if Task.isCancelled { return .cancelled }
    if status.code == 1 { return .unavailable("no watch was created within 3 seconds") }
    if status.code == 0 { return .unavailable("the server ended the stream") }
    return EtcdErrors.error(of: status, isChange: false)
  }
}
