import CStrata
import Synchronization

/// Following the epoch of the domain's directory, as long as the domain has no journal. The lock
/// must be held.
extension Store {
  /// Looks for a journal if another process may have begun to write, to this domain or to one
  /// beside it.
  func lookForJournal() {
    guard let epoch else { return }
    // Ordering: acquires the name of the journal that the epoch moved for.
    let word = epoch.word.pointee.load(ordering: .acquiring)
    if word == table.applied { return }
    verify(for: .reading)
    // The word was read before the look, so a journal that came after the look moves it again.
    if journal == nil, self.epoch === epoch, !epoch.isLost { table.applied = word }
  }

  /// Whether not even the domain's directory is there: then only the epoch of the one around it is
  /// followed, which is made at the first read.
  func isNothingThere(isFirst: Bool) -> Bool {
    do throws(StorageError) {
      guard let around = process.epoch(around: paths) ?? (isFirst ? makeAround() : nil) else {
        return false
      }
      // Ordering: before the look, since whoever makes it after that moves the epoch.
      let word = around.word.pointee.load(ordering: .acquiring)
      if word == 0 { return false }
      if try disk.status(of: paths.directory) != nil { return false }
      epoch = around
      adopt(.absent, with: .missing(.none), applied: word)
      return true
    } catch {
      return false
    }
  }

  private func makeAround() -> JournalEpoch? {
    if paths.machinePlace != nil || process.isShort { return nil }
    DomainDirectories(paths.around, on: disk).make(isReading: true)
    return process.epoch(for: paths.around)
  }

  /// Follows the epoch that the first read left alone.
  func followPostponedEpoch() {
    strata_hold_user()
    defer { strata_release_held_user() }
    postponed = .nothing
    let word = lookAtEpoch(isFirst: true)
    do throws(StorageError) {
      if word != 0 || process.isShort, plist.obstacle == nil, access.obstacle == nil,
        try disk.status(of: paths.journal) == nil, try disk.status(of: paths.plist) == plist.status
      {
        if word == 0 {
          postponed = .epoch
          return
        }
        table.follow(epoch)
        table.applied = word
        return
      }
    } catch {}  // whoever loads them reports the error
    load()
  }

  /// Finds the epoch, and returns its word; 0 if there is none.
  // Ordering: before the look at the files: what comes after that moves the epoch again.
  func lookAtEpoch(isFirst: Bool) -> UInt64 {
    epoch = findEpoch(isFirst: isFirst)
    return epoch?.word.pointee.load(ordering: .acquiring) ?? 0
  }

  /// What a reader learns of the first set by another process from.
  ///
  /// - Parameter isFirst: whether nothing was read yet: then a user's directory is made if nothing
  ///   else can tell.
  private func findEpoch(isFirst: Bool) -> JournalEpoch? {
    if opener.placeObstacle == nil,
      let known = process.epoch(for: paths) ?? process.epoch(around: paths)
    {
      return known
    }
    // A directory of all users is made only when something is to be stored there.
    guard isFirst, paths.audience == .user, !process.isShort else { return nil }
    directories.make(isReading: true)
    return opener.placeObstacle == nil ? process.epoch(for: paths) : nil
  }
}
