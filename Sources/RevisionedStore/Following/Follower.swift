/// What a follower reports.
public enum FollowUpdate: Equatable, Sendable {
  /// All that the ranges contain: first, and again if what happened meanwhile is not known, or if
  /// the store is another one or was restored, and its revision may be lower.
  case snapshot(StoreSnapshot)
  case changes(WatchBatch)
  /// The store can't be reached, or permits no more; what was reported stays valid.
  case lost(StoreError)
  /// The store can be reached again.
  case restored
}

/// Follows ranges of a store for as long as its task runs: a snapshot, then each change once,
/// across servers that end, connections that break and histories that are compacted.
///
/// Of a store that is another one, or has been restored from a backup, there is a snapshot. It is
/// recognized by its number, or by a revision that is lower than the last one that was seen.
public struct Follower: Sendable {
  private let store: any RevisionedStore
  private let pauseMax: Int64
  private let watchTime: Duration
  private let sleep: @Sendable (Duration) async -> Void

  /// - Parameters:
  ///   - pauseMax: the longest pause between attempts, in milliseconds.
  ///   - watchTime: after which at the latest a watch is made anew, since permissions are checked
  ///     only then. It is up to a quarter less, at random: those who began together do not begin
  ///     again together.
  ///   - sleep: waits, or returns at once if the task is cancelled.
  public init(
    _ store: any RevisionedStore, pauseMax: Int64 = 2_000,
    watchTime: Duration = .seconds(1_800),
    sleep: @escaping @Sendable (Duration) async -> Void = Follower.sleep
  ) {
    self.store = store
    self.pauseMax = pauseMax
    self.watchTime = watchTime
    self.sleep = sleep
  }

  /// Sleeps until the time has passed, or the task is cancelled.
  public static func sleep(_ duration: Duration) async {
    do {
      try await Task.sleep(for: duration)
    } catch {
      // Whoever sleeps looks whether the task was cancelled.
    }
  }

  /// Reports until the task is cancelled. The next update comes when `receive` has returned.
  ///
  /// - Parameter isLost: whether `receive` was told by an earlier call that the store can't be
  ///   reached, and not yet that it can be again.
  public func follow(
    _ ranges: [KeyRange], isLost: Bool = false,
    _ receive: @escaping @Sendable (FollowUpdate) async -> Void
  ) async {
    let state = FollowStateBox(FollowState(pauseMax: pauseMax, isLost: isLost))
    while !Task.isCancelled {
      let action = await state.change { $0.next(random: .random(in: 0..<1)) }
      do throws(StoreError) {
        switch action {
        case .wait(let milliseconds): await sleep(.milliseconds(milliseconds))
        case .read:
          let snapshot = try await store.read(ranges)
          await state.change { $0.didRead(at: snapshot.revision, of: snapshot.store) }
          await receive(.snapshot(snapshot))
        case .watch(let revision): try await watch(ranges, revision, state, receive)
        }
      } catch {
        if Task.isCancelled { return }
        if await state.change({ $0.didFail(error) }) { await receive(.lost(error)) }
      }
    }
  }

  /// Watches until the watch ends, or its time is over.
  private func watch(
    _ ranges: [KeyRange], _ revision: Int64, _ state: FollowStateBox,
    _ receive: @escaping @Sendable (FollowUpdate) async -> Void
  ) async throws(StoreError) {
    let (store, sleep) = (store, sleep)
    let watchTime = watchTime * Double.random(in: 0.75...1)
    let known = await state.change { $0.revisions }
    let starts = known.isEmpty ? ranges.map { _ in revision } : known
    let (others, continuation) = AsyncStream.makeStream(of: StoreError.self)
    let error = await withTaskGroup(of: StoreError?.self) { group in
      group.addTask {
        do throws(StoreError) {
          try await store.watch(ranges, afterEach: starts) { batch in
            if await state.change({ $0.isOfOther(batch) }) {
              // What it reports did not happen after what is known.
              continuation.yield(.rebuilt("it is another one"))
              return
            }
            if await state.change({
              $0.didReceive(upTo: batch.revision, each: batch.revisions)
            }) {
              await receive(.restored)
            }
            if !batch.events.isEmpty { await receive(.changes(batch)) }
          }
        } catch {
          return error
        }
      }
      group.addTask {
        for await error in others { return error }
        return nil
      }
      group.addTask {
        await sleep(watchTime)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      // Nothing is received any more once the watch has ended.
      await group.waitForAll()
      return first
    }
    if let error { throw error }
  }
}

/// The state, which a watch changes while the follower waits for it.
private actor FollowStateBox {
  private var state: FollowState

  init(_ state: FollowState) { self.state = state }

  func change<Value: Sendable>(_ body: (inout FollowState) -> Value) -> Value { body(&state) }
}
