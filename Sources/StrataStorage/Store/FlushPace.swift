/// When a store's pending changes are made durable, and when they go to the plist file. Pure.
struct FlushPace: Sendable {
  enum Action: Hashable, Sendable {
    /// Nothing is pending.
    case rest
    case wait
    /// Make the journal durable; changes still come in.
    case synchronize
    /// Write the plist file: a quiet moment, a full journal, or long enough without either.
    case checkpoint
  }

  private var pendingSince: Int64?
  private var lastWord: UInt64 = 0
  private var failures = 0
  private var notBefore: Int64 = 0

  /// Under constant writing, the plist file is written this often.
  static let patience: Int64 = 9_000_000_000
  static let pauseMax: Int64 = 10_000_000_000

  mutating func next(now: Int64, word: UInt64, isPending: Bool, isFull: Bool) -> Action {
    guard isPending else {
      pendingSince = nil
      lastWord = word
      return .rest
    }
    let since = pendingSince ?? now
    pendingSince = since
    let isQuiet = word == lastWord
    lastWord = word
    if now < notBefore { return .wait }
    return isQuiet || isFull || now - since >= Self.patience ? .checkpoint : .synchronize
  }

  /// Tells how a checkpoint went. After a failure the next one waits, longer each time; where files
  /// only changed meanwhile, it is tried again at the next look.
  mutating func finished(_ outcome: CheckpointOutcome, now: Int64) {
    notBefore = 0
    switch outcome {
    case .done, .busy:
      failures = 0
      pendingSince = nil
    case .changed:
      break
    case .failed:
      failures += 1
      notBefore = now + min(Self.pauseMax, 500_000_000 << Int64(min(failures, 6)))
    }
  }
}
