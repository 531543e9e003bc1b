/// Decides when a store's pending changes are made durable, and when they go to the plist file.
/// Pure.
struct FlushPace: Sendable {
  enum Action: Equatable, Sendable {
    /// Nothing is left to do.
    case rest
    /// Something is left, but not to be done now.
    case wait
    /// Make the journal durable: changes still come in.
    case synchronize
    /// Write the plist file: the store is quiet, its journal is full, or it has waited long enough.
    case checkpoint
  }

  private var pendingSince: Int64?
  private var lastWord: UInt64 = 0
  private var failures = 0
  private var notBefore: Int64 = 0

  /// While changes keep coming in, the plist file is written at least this often, in nanoseconds.
  static let patience: Int64 = 9_000_000_000
  static let pauseMax: Int64 = 10_000_000_000

  /// - Parameters:
  ///   - word: the journal's word, which stays the same while nobody sets anything.
  ///   - isPending: whether the journal holds changes that the plist file does not.
  ///   - isFull: whether the journal is larger than it should become.
  ///   - hasUnsaved: whether some changes have yet to be stored in the journal.
  mutating func next(
    now: Int64, word: UInt64, isPending: Bool, isFull: Bool, hasUnsaved: Bool = false
  ) -> Action {
    guard isPending else {
      pendingSince = nil
      lastWord = word
      return hasUnsaved ? .wait : .rest
    }
    let since = pendingSince ?? now
    pendingSince = since
    let isQuiet = word == lastWord
    lastWord = word
    if now < notBefore { return isQuiet ? .wait : .synchronize }
    return isQuiet || isFull || now - since >= Self.patience ? .checkpoint : .synchronize
  }

  /// Records that the plist file was written, by whomever: what is pending was set since.
  mutating func fileWasWritten() { pendingSince = nil }

  /// Whether the last checkpoint failed: then nothing but the journal keeps what is set.
  var isFailing: Bool { failures > 0 }

  /// Records how a checkpoint went. After a failure the next one waits, longer each time; if files
  /// merely changed meanwhile, the next look tries again.
  mutating func finished(_ outcome: CheckpointOutcome, now: Int64) {
    notBefore = 0
    switch outcome {
    case .done:
      failures = 0
      pendingSince = nil
    case .busy, .unsettled:
      failures = 0
    case .changed:
      break
    case .failed:
      failures += 1
      notBefore = now + min(Self.pauseMax, 500_000_000 << Int64(min(failures, 6)))
    }
  }
}
