import CStrata
import StrataPropertyList
import Synchronization

/// Keeping step with the other processes. The lock must be held.
extension Store {
  @inline(__always)
  func currentLockOwner() throws(StorageError) -> LockOwner {
    if let lockOwner { return lockOwner }
    let new = try process.lockOwnerInPlace(for: paths)
    lockOwner = new
    return new
  }

  /// Takes in what other processes committed.
  /// - Parameter isWriting: whether there must be a journal at the end that can be appended to.
  func catchUp(isWriting: Bool = false) {
    if let loss, let journal {
      if strata_coarse_now() >= retryAt { recover(from: journal, loss) }
      return
    }
    for _ in 0..<1_000 {
      guard let journal else { return isResting ? load() : () }
      let word = journal.state
      if word.reserved > 0, journal.help(word) { continue }
      if word.key == table.applied { return }
      guard word.isSound, apply(upTo: word.length, of: journal) else {
        return recover(from: journal, "its committed length is wrong")
      }
      if word.isRetired, !followSuccessor(of: journal, isWriting: isWriting) { return }
    }
  }

  func apply(upTo end: Int, of journal: Journal) -> Bool {
    let known = Int(truncatingIfNeeded: table.applied)
    guard end >= known, end >= JournalLayout.recordsStart, !journal.mapping.isLost else {
      return false
    }
    if end > known {
      guard journal.size(upTo: end) == end else { return false }
      let scan = scan(journal, from: known, to: end)
      // What this process could not store yet is newer than what others did store.
      for changes in scan.changeSets {
        noteTouched(changes)
        applyToTable(changes)
      }
      journal.resume(after: scan)
      if !unsaved.isEmpty { applyToTable(unsaved.changeSet) }
    }
    table.applied = JournalWord.key(length: end)
    return true
  }

  /// Goes on with the journal that took this one's place.
  /// - Returns: false when there is nothing more to take in for now.
  private func followSuccessor(of old: Journal, isWriting: Bool) -> Bool {
    let number = old.successor.pointee.load(ordering: .acquiring)
    do throws(StorageError) {
      if number == old.danglingSuccessor {
        guard let status = try disk.status(of: paths.journal), status.isSameFile(as: old.status)
        else {
          recover(from: old, "it was removed")
          return journal !== old
        }
        // What is known is all there is until somebody names the next.
        return isWriting && old.isWritable && completeReplacement(of: old)
      }
    } catch {
      report(.unreadable, paths.journal, error.description)
      return false
    }
    let known = Int(truncatingIfNeeded: table.applied)
    let found = openJournal(making: false)
    // As long as it can't be opened, what is known is all there is.
    if found == nil, names.isTaken { return false }
    guard let new = found, old.isContinued(by: new) else {
      recover(from: old, "it was removed")
      return journal !== old
    }
    guard plistObstacle == nil, let continuation = new.continuation,
      continuation.id == old.header.id, continuation.length == known
    else {
      load()
      return journal !== old
    }
    // All that the old one had is known, and the new one begins with what was carried over.
    if new.header.base != old.header.base { plistIsSound = true }
    follow(new)
    table.applied = JournalWord.key(length: continuation.end)
    return true
  }

  /// The journal was cut off, overwritten or removed while it was in use. What this process knows
  /// of its records goes into the one that is in its place, or into a new one.
  ///
  /// As long as there is none that can be added to, what is known stays as it is, and is brought
  /// over later: were it set anew then, it would be newer than what others set meanwhile.
  func recover(from lost: Journal, _ text: String) {
    // Where the one in its place is lost at once, too, as on a full disk that copies what is
    // overwritten, nothing can be stored for now.
    if isRecovering {
      canAppend = false
      return
    }
    isRecovering = true
    defer { isRecovering = false }
    retireNameless(lost)
    if !lost.isWritable { return load() }
    if let found = openJournal(making: false), lost.isContinued(by: found) { return load() }
    report(.damaged, paths.journal, text)
    let reading = plistFile.read()
    let standing = Recovery.standing(of: reading, base: lost.header.base, intent: lost.intent)
    if standing == .edited { return load() }
    directories.make(isReading: false)
    guard openJournal(making: true)?.isWritable == true else {
      return goOn(without: lost, text)
    }
    let known = values()
    load(making: true)
    if storeAgain(known, of: lost, on: reading.identity) {
      // Who shared it knows no more than is stored now.
      lost.broughtTo.pointee.store(journal?.header.lineage ?? 0, ordering: .releasing)
    } else {
      table.removeAll()
      base = nil
      table.isComplete = true
      for (key, value) in known { HashedKey.with(key) { table.put($0, value) } }
      goOn(without: lost, text)
    }
  }

  private func goOn(without lost: Journal, _ text: String) {
    follow(lost)
    table.applied = JournalWord.key(length: lost.length)
    loss = text
    canAppend = false
    retryAt = strata_coarse_now() + Self.retryInterval
    if mustSchedule() { scheduleWithLock() }
  }

  /// A journal that lost its name and nothing else is still shared by all who had it: nobody adds
  /// to it from now on, and what was added until now is known here, and to everyone who looks.
  private func retireNameless(_ lost: Journal) {
    do throws(StorageError) {
      let now = try disk.status(of: paths.journal)
      guard lost.isWritable, now.map({ !$0.isSameFile(as: lost.status) }) ?? true else { return }
    } catch {
      return report(.notStored, paths.journal, error.description)
    }
    while true {
      let word = lost.awaitTurn()
      guard word.isSound, !lost.mapping.isLost, apply(upTo: word.length, of: lost) else { return }
      if word.isRetired || lost.retire(at: word.length) { return }
    }
  }
}
