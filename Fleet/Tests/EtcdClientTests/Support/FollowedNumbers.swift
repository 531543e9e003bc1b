import RevisionedStore

/// What a follower says of a key that is set to 1, 2, 3 and so on.
actor FollowedNumbers {
  private let key: String
  private(set) var number = 0
  private var revision: Int64 = 0
  /// What should not be: a number or a revision that is missed or comes again, or a loss that is
  /// reported again before the store was there again.
  private(set) var mistakes: [String] = []
  private(set) var snapshotCount = 0
  private(set) var losses: [StoreError] = []
  private(set) var restoredCount = 0

  init(_ key: String) { self.key = key }

  /// Follows for as long as its task runs.
  func follow(
    _ store: any RevisionedStore, watchTime: Duration = .seconds(1_800)
  ) async {
    await Follower(store, watchTime: watchTime).follow([.key(key)]) { update in
      await self.take(update)
    }
  }

  private func take(_ update: FollowUpdate) {
    switch update {
    case .snapshot(let snapshot):
      snapshotCount += 1
      number = snapshot.values.first.flatMap { Self.number($0) } ?? 0
      revision = snapshot.revision
    case .changes(let batch):
      for event in batch.events {
        guard case .put(let value) = event, let next = Self.number(value), next == number + 1,
          value.revision > revision
        else {
          mistakes.append("\(event) after \(number) at \(revision)")
          continue
        }
        (number, revision) = (next, value.revision)
      }
    case .lost(let error):
      if losses.count > restoredCount { mistakes.append("\(error) after \(losses)") }
      losses.append(error)
    case .restored:
      restoredCount += 1
      if losses.count != restoredCount { mistakes.append("restored without a loss") }
    }
  }

  private static func number(_ value: StoredValue) -> Int? {
    Int(String(decoding: value.value, as: UTF8.self))
  }

  /// Returns when this number was seen.
  nonisolated func reach(_ number: Int) async throws {
    let _: Bool = try await awaited { await self.number >= number ? true : nil }
  }

  /// Returns when such a loss was reported.
  nonisolated func awaitLoss(
    where isSuch: @Sendable @escaping (StoreError) -> Bool = { _ in true }
  ) async throws {
    let _: Bool = try await awaited { await self.losses.contains(where: isSuch) ? true : nil }
  }

  nonisolated func awaitRestoration() async throws {
    let _: Bool = try await awaited { await self.restoredCount > 0 ? true : nil }
  }
}
