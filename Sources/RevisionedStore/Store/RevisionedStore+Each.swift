/// Watching after several revisions, by a store that knows only of one.
extension RevisionedStore {
  /// Reports the changes of each range after its revision.
  public func watch(
    _ ranges: [KeyRange], afterEach revisions: [Int64],
    _ receive: @Sendable (WatchBatch) async -> Void
  ) async throws(StoreError) -> Never {
    let starts = Array(zip(ranges, revisions))
    try await watch(ranges, after: revisions.min() ?? 0) { batch in
      let due = batch.events.filter { event in
        starts.contains { range, start in range.contains(event.key) && event.revision > start }
      }
      let later = revisions.map { max($0, batch.revision) }
      await receive(WatchBatch(revisions: later, events: due, store: batch.store))
    }
  }
}
