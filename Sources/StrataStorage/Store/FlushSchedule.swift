/// Decides when a store's changes go to the disk, and who brings them there. Pure.
struct FlushSchedule: Sendable {
  /// Whether the flusher takes care of the store, until nothing is pending.
  var isScheduled = false
  var pace = FlushPace()
  /// The journal's length past which the flusher is told to hurry.
  private var hurryAt = FlushSchedule.journalSizeSoft
  /// When to try again to store what could not be stored.
  private var retryAt: Int64 = 0
  /// The journal's word when it last moved, and since when it has not: see `isAbandoned`.
  private var leftWord: UInt64 = 0
  private var leftSince: Int64 = 0
  /// Since when another process has been writing the plist file; 0 if none is.
  private var waitingSince: Int64 = 0

  /// A journal past this size is checkpointed without waiting for a quiet moment.
  static let journalSizeSoft = 16 << 20
  private static let retryInterval: Int64 = 100_000_000
  private static let leftTimeMin: Int64 = 2_000_000_000
  private static let waitingMax: Int64 = 1_000_000_000
  /// Past this size a journal is compacted while another process writes the plist file, and past
  /// this time: sooner, and the two would undo each other's work, each time; later, and whoever
  /// opens the journal after a crash would have long to read.
  private static let journalSizeWaiting = 4 * journalSizeSoft
  private static let waitingToCompact: Int64 = 10_000_000_000

  /// Starts over, for another journal.
  /// - Parameter onSameBase: whether nobody is known to have written the plist file.
  mutating func restart(onSameBase: Bool) {
    hurryAt = Self.journalSizeSoft
    if onSameBase { return }
    waitingSince = 0
    pace.fileWasWritten()
  }

  /// Whether the flusher must look at once: true once for each 16 MiB that the journal grows.
  mutating func mustHurry(at length: Int) -> Bool {
    guard length > hurryAt else { return false }
    hurryAt = length + Self.journalSizeSoft
    return true
  }

  /// Whether to try again now, which `isUrgent` forces; if so, the next attempt is put off.
  mutating func beginRetry(at now: Int64, isUrgent: Bool) -> Bool {
    guard now >= retryAt || isUrgent else { return false }
    retryAt = now + Self.retryInterval
    return true
  }

  func mayRetry(at now: Int64) -> Bool { now >= retryAt }

  mutating func retryNow() { retryAt = 0 }

  mutating func retryLater(at now: Int64) { retryAt = now + Self.retryInterval }

  /// Whether changes have been pending for long without new ones: then the process that made them
  /// is taken to have died.
  mutating func isAbandoned(_ word: UInt64, at now: Int64) -> Bool {
    if word != leftWord {
      (leftWord, leftSince) = (word, now)
      return false
    }
    guard now - leftSince > Self.leftTimeMin else { return false }
    leftSince = now
    return true
  }

  /// Records that nobody else is writing the plist file.
  mutating func endWaiting() { waitingSince = 0 }

  /// Records that another process is writing the plist file, which takes milliseconds.
  /// - Returns: whether it has taken so long that the process may be stopped.
  mutating func isHeldUp(at now: Int64) -> Bool {
    if waitingSince == 0 { waitingSince = now }
    return now - waitingSince >= Self.waitingMax
  }

  /// Whether the journal must get smaller without the plist file.
  func mustCompact(after outcome: CheckpointOutcome, journalSize: Int, at now: Int64) -> Bool {
    switch outcome {
    case .done, .changed, .unsettled: false
    case .failed: true
    case .busy:
      journalSize > Self.journalSizeWaiting
        || waitingSince != 0 && now - waitingSince >= Self.waitingToCompact
    }
  }
}
