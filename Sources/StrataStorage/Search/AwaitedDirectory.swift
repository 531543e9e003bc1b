import CStrata
import Synchronization

/// A directory of a user's domains that is missing: a search does without them until somebody makes
/// it.
///
/// Whoever makes it in order to store something there moves the epoch of the directory around it,
/// so a search that compares that word is as good as one in domains that have no file. The first
/// search only looks for the directory: most programs read a few settings and end.
///
/// Locking: the caller's lock guards all but `path`.
package final class AwaitedDirectory: @unchecked Sendable {
  // Safety: a constant, and state that the caller guards.
  package let path: String
  private let process: StorageProcess
  /// The epoch that moves when the directory may have been made; nil before one is followed.
  private(set) var epoch: JournalEpoch?
  /// The epoch as it was before the directory was last looked for; 0, which no word is, before one
  /// is followed.
  private(set) var seen: UInt64 = 0
  private var wasLookedFor = false
  /// When to see whether the epoch is still the one that others move.
  private var checkAt: Int64 = 0

  package convenience init(_ path: String) { self.init(path, in: .current) }

  init(_ path: String, in process: StorageProcess) {
    self.path = path
    self.process = process
  }

  /// Whether it is there, as far as it was looked for: the first search does that itself.
  package var isKnownToBeThere: Bool { wasLookedFor && DirectoryWatch.isThere(path) }

  /// Whether it must be searched: it may be there, or nothing would tell that it is.
  package func mayBeThere() -> Bool {
    let now = strata_coarse_now()
    // Ordering: acquires the names that the epoch moved for.
    if let epoch, now < checkAt, epoch.word.pointee.load(ordering: .acquiring) == seen {
      return false
    }
    if wasLookedFor, !follow() { return true }
    wasLookedFor = true
    checkAt = now + Store.checkInterval
    return DirectoryWatch.isThere(path)
  }

  private func follow() -> Bool {
    epoch = process.epoch(around: path)
    guard let epoch, !epoch.isLost else { return false }
    // Ordering: before the look, since whoever makes the directory after that moves the epoch.
    seen = epoch.word.pointee.load(ordering: .acquiring)
    return seen != 0
  }
}
