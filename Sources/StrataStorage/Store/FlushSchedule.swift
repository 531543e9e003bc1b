/// When a store's changes are brought to the disk, and by whom. Pure.
struct FlushSchedule: Sendable {
  /// Whether the flusher takes care of the store.
  var isScheduled = false
  var pace = FlushPace()
  /// The journal's length at which the flusher is told not to wait.
  private var hurryAt = FlushSchedule.journalSizeSoft
  /// When to try again to store what could not be stored.
  private var retryAt: Int64 = 0
  /// What others left in the journal, and since when nobody has added to it.
  private var leftWord: UInt64 = 0
  private var leftSince: Int64 = 0
  /// Since when another process writes the plist file; 0 while none does.
  private var waitingSince: Int64 = 0

  /// A journal past this size is checkpointed without waiting for a quiet moment.
  static let journalSizeSoft = 16 << 20
  private static let retryInterval: Int64 = 100_000_000
  private static let leftTimeMin: Int64 = 2_000_000_000
  private static let waitingMax: Int64 = 1_000_000_000

  /// Another journal is followed.
  mutating func restart() { hurryAt = Self.journalSizeSoft }

  /// Whether the flusher is to look at once, which is asked of it once in so many bytes.
  mutating func mustHurry(at length: Int) -> Bool {
    guard length > hurryAt else { return false }
    hurryAt = length + Self.journalSizeSoft
    return true
  }

  /// Whether the time has come to try again, as it is now if `isUrgent`; the next one is later.
  mutating func beginRetry(at now: Int64, isUrgent: Bool) -> Bool {
    guard now >= retryAt || isUrgent else { return false }
    retryAt = now + Self.retryInterval
    return true
  }

  func mayRetry(at now: Int64) -> Bool { now >= retryAt }

  mutating func retryNow() { retryAt = 0 }

  mutating func retryLater(at now: Int64) { retryAt = now + Self.retryInterval }

  /// Whether what is pending has been so for long, and does not change: then whoever set it died.
  mutating func isAbandoned(_ word: UInt64, at now: Int64) -> Bool {
    if word != leftWord {
      (leftWord, leftSince) = (word, now)
      return false
    }
    guard now - leftSince > Self.leftTimeMin else { return false }
    leftSince = now
    return true
  }

  /// Notes whether another process is writing the plist file, which takes milliseconds.
  /// - Returns: whether it has taken so long that it may be stopped.
  mutating func isHeldUp(byOther isBusy: Bool, at now: Int64) -> Bool {
    guard isBusy else {
      waitingSince = 0
      return false
    }
    if waitingSince == 0 { waitingSince = now }
    return now - waitingSince >= Self.waitingMax
  }
}
