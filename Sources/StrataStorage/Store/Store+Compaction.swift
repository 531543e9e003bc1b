import Synchronization

/// Keeping the journal small while its records can't go to the property list: because that is a
/// link into a read-only place or a mounted file, can't be read, or is being written by a process
/// that is stopped.
extension Store {
  /// Replaces a journal that has grown to more than twice what it began with by one that holds only
  /// the last value of each key.
  func compact() {
    let old = lock.withLock { journal.flatMap { canAppend && isWorthCompacting($0) ? $0 : nil } }
    guard let old else { return }
    do throws(StorageError) {
      try compact(old)
    } catch {
      lock.withLock { report(.notStored, paths.journal, error.description) }
    }
  }

  func compact(_ old: Journal) throws(StorageError) {
    let replacement = try JournalReplacement(
      of: old, by: SuccessorPlan(compacting: old, boot: disk.bootID()), names)
    lock.lock()
    defer { lock.unlock() }
    guard journal === old else { return try replacement.discard() }
    if let new = try install(replacement, insteadOf: old) { continueWith(new) }
  }

  /// The same for a caller that holds the lock and needs the room.
  /// - Returns: whether to look again: there is another journal now, whoever made it.
  func compactNow(_ old: Journal) throws(StorageError) -> Bool {
    guard canAppend, isWorthCompacting(old) else { return false }
    catchUp()
    guard journal === old else { return true }
    let plan = SuccessorPlan(compacting: old, boot: disk.bootID())
    if let new = try replace(old, by: plan) { continueWith(new) }
    return true
  }

  /// All that the journal began with may still be needed; what came later may merely replace that.
  func isWorthCompacting(_ journal: Journal) -> Bool {
    guard journal.isWritable, journal.header.boot == disk.bootID(), !isUnsettled(journal) else {
      return false
    }
    let start = JournalLayout.recordsStart
    let began = (journal.continuation?.end ?? start) - start
    return journal.length - start > max(disk.compactionSizeMin, 2 * began)
  }
}
