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
  /// - Parameter isWriting: whether the caller needs a journal that can be appended to.
  func catchUp(isWriting: Bool = false) {
    if let loss, let journal {
      if flushSchedule.mayRetry(at: strata_coarse_now()) {
        recover(from: journal, loss.text)
      }
      return
    }
    for _ in 0..<1_000 {
      guard let journal else { return phase == .resting ? load() : () }
      let word = journal.state
      if word.reserved > 0, journal.help(word) { continue }
      if word.key == table.applied { return }
      // Not the journal of an earlier boot, now that it holds something.
      if !isOfThisBoot(journal) { return load() }
      if isOutdated(upTo: word.length) { return load() }
      guard word.isSound, apply(upTo: word.length, of: journal) else {
        return recover(from: journal, "its committed length is wrong")
      }
      if word.isRetired, !followSuccessor(of: journal, isWriting: isWriting) { return }
    }
  }

  /// Whether the journal was made since the machine was started; asks that at most once.
  func isOfThisBoot(_ journal: Journal) -> Bool {
    guard journal.mayBeOfEarlierBoot else { return true }
    if journal.header.boot == disk.bootID() { journal.mayBeOfEarlierBoot = false }
    return !journal.mayBeOfEarlierBoot
  }

  /// Whether what the parent could not store before a fork is older than what others have stored
  /// up to this length: then the domain must be loaded without it.
  func isOutdated(upTo end: Int) -> Bool {
    unsaved.isInherited && end > Int(truncatingIfNeeded: table.applied)
  }

  func apply(upTo end: Int, of journal: Journal) -> Bool {
    let known = Int(truncatingIfNeeded: table.applied)
    guard end >= known, end >= JournalLayout.recordsStart, !journal.mapping.isLost,
      !isOutdated(upTo: end)
    else { return false }
    if end > known {
      guard journal.size(upTo: end) == end, let scan = scan(journal, from: known, to: end) else {
        return false
      }
      watches.note(scan, in: content)
      content.apply(scan)
      journal.resume(after: scan)
      // What this process could not store yet is newer than what others have stored.
      if !unsaved.isEmpty { content.apply(unsaved.changeSet) }
    }
    table.applied = JournalWord.key(length: end)
    return true
  }

  /// Goes on with the journal that took this one's place.
  /// - Returns: false if there is nothing more to take in for now.
  private func followSuccessor(of old: Journal, isWriting: Bool) -> Bool {
    // Ordering: acquires the journal that this names.
    let number = old.successor.pointee.load(ordering: .acquiring)
    let isSuccessorNamed = number != old.danglingSuccessor
    let hasName: Bool
    do throws(StorageError) {
      hasName = isSuccessorNamed ? false : try names.isHeld(by: old)
    } catch {
      report(.unreadable, paths.journal, error.description)
      return false
    }
    let mayMakeNext = isWriting && old.isWritable
    switch Recovery.afterRetirement(
      isSuccessorNamed: isSuccessorNamed, hasName: hasName, mayMakeNext: mayMakeNext)
    {
    case .open: return openSuccessor(of: old)
    case .wait: return false
    case .complete: return completeReplacement(of: old)
    case .lost: return recoverRemoved(old)
    }
  }

  private func openSuccessor(of old: Journal) -> Bool {
    let found = openJournal(making: false).journal
    // Whoever made the next one may have read records before they were damaged.
    let isKnown = plist.obstacle == nil && !old.isDamaged
    let known = isKnown ? Int(truncatingIfNeeded: table.applied) : nil
    switch Recovery.afterOpening(next(found, after: old), known: known) {
    case .follow(let length):
      if found?.header.base != old.header.base { plist.noteWrittenByOthers() }
      if let found { follow(.open(found)) }
      table.applied = JournalWord.key(length: length)
      return true
    case .reload:
      load()
      return journal !== old
    case .wait: return false
    case .lost: return recoverRemoved(old)
    }
  }

  private func next(_ found: Journal?, after old: Journal) -> Recovery.Next {
    guard let found else { return names.isTaken ? .unknown : .nothing }
    guard old.isContinued(by: found) else { return .foreign }
    guard let continuation = found.continuation, continuation.id == old.header.id else {
      return .inherits
    }
    return .continues(from: continuation.length, to: continuation.end)
  }

  private func recoverRemoved(_ old: Journal) -> Bool {
    recover(from: old, "it was removed")
    return journal !== old
  }
}
