import Synchronization

/// Keeping the journal small while its records can't go to the property list: where that is a link
/// into a read-only place or a mounted file, can't be read, or is being written by a process that
/// is stopped.
extension Store {
  /// Puts a journal with the last value of each key in the place of one that has grown to twice
  /// that.
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
    var successor = try makeSuccessor(of: old, compaction(of: old))
    lock.lock()
    defer { lock.unlock() }
    guard journal === old else { return try successor.draft.discard() }
    if let new = try install(&successor, of: old) { continueWith(new) }
  }

  /// The same for whoever has the lock and needs the room.
  /// - Returns: whether to look again: there is another journal now, whoever made it.
  func compactNow(_ old: Journal) throws(StorageError) -> Bool {
    guard canAppend, isWorthCompacting(old) else { return false }
    catchUp()
    guard journal === old else { return true }
    if let new = try replace(old, by: compaction(of: old)) { continueWith(new) }
    return true
  }

  private func compaction(of old: Journal) -> SuccessorPlan {
    var header = JournalHeader(on: old.header.base, nil, boot: disk.bootID())
    header.baseNumber = old.header.baseNumber
    header.baseModified = old.header.baseModified
    header.baseChanged = old.header.baseChanged
    return SuccessorPlan(
      header: header, start: JournalLayout.recordsStart, announcement: .pending, compacts: true)
  }

  /// What it began with may all be needed; the rest may be what replaced that.
  func isWorthCompacting(_ journal: Journal) -> Bool {
    guard journal.isWritable, journal.header.boot == disk.bootID() else { return false }
    let start = JournalLayout.recordsStart
    let began = (journal.continuation?.end ?? start) - start
    return journal.length - start > max(disk.compactionSizeMin, 2 * began)
  }
}
