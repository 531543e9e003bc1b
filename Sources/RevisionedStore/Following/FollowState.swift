/// Decides how to go on following ranges of a store, whatever ends a watch.
struct FollowState {
  enum Action: Equatable {
    case read
    case watch(after: Int64)
    /// Waits so many milliseconds, then asks again.
    case wait(Int64)
  }

  enum Step {
    /// A snapshot is needed first.
    case unknown
    /// Everything up to this revision is known.
    case known(Int64)
  }

  private let pauseMax: Int64
  /// How far each range is, if not all are at the known revision.
  private(set) var revisions: [Int64] = []
  private var step = Step.unknown
  /// How often it has failed in a row.
  private var failures = 0
  private var mustWait = false
  /// The number of the store that was read.
  private var store: UInt64 = 0
  /// Whether the receiver was told that the store can't be reached.
  private(set) var isLost: Bool

  init(pauseMax: Int64, isLost: Bool = false) {
    self.pauseMax = pauseMax
    self.isLost = isLost
  }

  /// - Parameter random: at least 0 and below 1. So that those who lost a server together do not
  ///   come back together.
  mutating func next(random: Double) -> Action {
    if mustWait {
      mustWait = false
      return .wait(pause(random))
    }
    switch step {
    case .unknown: return .read
    case .known(let revision): return .watch(after: revision)
    }
  }

  private func pause(_ random: Double) -> Int64 {
    let whole = failures > 20 ? pauseMax : min(pauseMax, Self.pauseMin << (failures - 1))
    return whole / 2 + Int64(Double(whole / 2) * random)
  }

  static let pauseMin: Int64 = 50

  mutating func didRead(at revision: Int64, of store: UInt64 = 0) {
    step = .known(revision)
    revisions = []
    self.store = store
  }

  /// Whether a watch's batch is of another store than the one that was read.
  func isOfOther(_ batch: WatchBatch) -> Bool {
    store != 0 && batch.store != 0 && batch.store != store
  }

  /// - Returns: whether this ends a time in which the store could not be reached.
  mutating func didReceive(upTo revision: Int64, each revisions: [Int64] = []) -> Bool {
    step = .known(revision)
    self.revisions = revisions
    failures = 0
    defer { isLost = false }
    return isLost
  }

  /// - Returns: whether the receiver is to be told.
  mutating func didFail(_ error: StoreError) -> Bool {
    failures += 1
    switch error {
    case .compacted, .rebuilt:
      step = .unknown
      // A server that says so again and again is not asked without a pause.
      mustWait = failures > 1
      return false
    default:
      mustWait = true
      defer { isLost = true }
      return !isLost
    }
  }
}
