import StrataPropertyList
import Synchronization

/// Keeping step with the other processes. The lock must be held.
extension Store {
  /// Takes the journal's lock between processes.
  @inline(__always)
  func lockShared(_ journal: Journal) throws(StorageError) -> SharedLock {
    let holder = try currentHolder()
    let shared = SharedLock(word: journal.lockWord)
    shared.lock(as: holder.number) { holder.isAlive($0) }
    return shared
  }

  @inline(__always)
  func currentHolder() throws(StorageError) -> Holder {
    if let holder { return holder }
    let new = try holderInPlace()
    holder = new
    return new
  }

  /// Takes in what other processes committed.
  func catchUp() {
    for _ in 0..<1_000 {
      guard let journal else { return }
      let word = journal.word.pointee.load(ordering: .acquiring)
      if word == table.applied { return }
      guard take(upTo: Journal.length(word), of: journal) else {
        return recover(from: journal, "its committed length is wrong")
      }
      if word & JournalLayout.retiredBit != 0, !followSuccessor(of: journal) { return }
    }
  }

  private func take(upTo end: Int, of journal: Journal) -> Bool {
    let known = Journal.length(table.applied)
    guard end >= known, end >= JournalLayout.recordsStart, !journal.mapping.isLost else {
      return false
    }
    if end > known {
      guard journal.isWhole(upTo: end) || journal.sizeNow(on: disk) >= end else { return false }
      let scan = scan(journal, from: known, to: end)
      // What this process could not store yet is newer than what others did store.
      for changes in scan.changeSets {
        noteTouched(changes)
        applyToTable(changes)
      }
      journal.lastSum = scan.lastSum ?? 0
      if !unstored.isEmpty { applyToTable(unstored.changeSet) }
    }
    table.applied = Journal.word(length: end)
    return true
  }

  /// Goes on with the journal that took this one's place.
  /// - Returns: false when there is nothing more to take in for now.
  private func followSuccessor(of old: Journal) -> Bool {
    do throws(StorageError) {
      if let status = try disk.status(of: paths.journal), status.isSameFile(as: old.status) {
        return finishRetirement(of: old)
      }
    } catch {
      report(.unreadable, paths.journal, error.description)
      return false
    }
    if old.nameless.pointee.load(ordering: .acquiring) != 0 {
      recover(from: old, "it was removed")
      return self.journal !== old
    }
    guard let new = openJournal(making: false) else {
      load()
      return true
    }
    guard new.header.continuedID == old.header.id,
      new.header.continuedLength == Journal.length(table.applied)
    else {
      load()
      return true
    }
    // All that the old one had is known, and the new one begins with what was carried over.
    follow(new)
    plistIsSound = true
    table.applied = Journal.word(length: new.header.carriedEnd)
    return true
  }

  /// A journal that is retired but in its place: who retired it is about to rename, or is dead.
  /// - Returns: whether to look again.
  func finishRetirement(of journal: Journal) -> Bool {
    guard journal.isWritable else { return false }
    do throws(StorageError) {
      let shared = try lockShared(journal)
      defer { shared.unlock() }
      guard let status = try disk.status(of: paths.journal), status.isSameFile(as: journal.status)
      else { return true }
      journal.nameless.pointee.store(0, ordering: .releasing)
      journal.word.pointee.bitwiseAnd(~JournalLayout.retiredBit, ordering: .acquiringAndReleasing)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// A journal that was written before the machine started anew: what is sound of it goes into a
  /// new one, which knows of no holder and no watcher of back then.
  /// - Returns: false when things changed meanwhile and must be looked at again.
  func restart(
    _ old: Journal, _ word: UInt64, _ reading: PlistReading, _ scan: JournalScan
  ) -> Bool {
    do throws(StorageError) {
      let shared = try lockShared(old)
      defer { shared.unlock() }
      guard old.word.pointee.load(ordering: .acquiring) == word else { return false }
      var header = JournalHeader(on: reading.identity, reading.status, boot: disk.bootID())
      if !reading.isSound { header.base = old.header.base }
      let new = try replace(old, by: header, carrying: scan.changeSets)
      adopt(reading, with: new, records: scan, applied: Journal.word(length: new.header.carriedEnd))
    } catch {
      report(.notStored, paths.journal, error.description)
      adopt(reading, with: old, records: scan, applied: word)
      canAppend = false
    }
    return true
  }

  /// A lock that was taken through a mapping and given back when that no longer reached the file is
  /// still taken there, by a process that lives: others would wait for it for ever.
  private func giveLockBack(of lost: Journal) throws(StorageError) {
    guard lost.isWritable, lost.mapping.isLost, let holder else { return }
    let bytes = try disk.read(lost.file, at: JournalLayout.lock, count: 4)
    guard bytes.count == 4 else { return }
    let word = bytes.enumerated().reduce(UInt32(0)) {
      $0 | UInt32($1.element) << UInt32(8 * $1.offset)
    }
    guard SharedLock.holder(in: word) == holder.number else { return }
    try disk.write([0, 0, 0, 0], to: lost.file, at: JournalLayout.lock)
  }

  /// The journal was cut off, overwritten or removed while it was in use. What this process knows
  /// of its records goes into the one that is in its place, or into a new one.
  ///
  /// Locking: never waits for one journal's lock while it holds another's.
  func recover(from lost: Journal, _ text: String) {
    if !lost.isRetired, holder != nil { retireNameless(lost) }
    let known = values()
    putAside(lost, text)
    let standing = Recovery.standing(
      of: plistFile.read(), base: lost.header.base, intent: lost.intent)
    load(making: standing != .edited)
    if standing != .edited { storeAgain(known) }
  }

  /// A journal that lost its name and nothing else is still shared by all who had it: nobody adds
  /// to it from now on, and what was added until now is known here, and to everyone who looks.
  private func retireNameless(_ lost: Journal) {
    do throws(StorageError) {
      let now = try disk.status(of: paths.journal)
      guard lost.isWritable, !lost.mapping.isLost, lost.length >= JournalLayout.recordsStart,
        now.map({ !$0.isSameFile(as: lost.status) }) ?? true
      else { return }
      let shared = try lockShared(lost)
      defer { shared.unlock() }
      guard !lost.isRetired, take(upTo: lost.length, of: lost) else { return }
      lost.nameless.pointee.store(1, ordering: .releasing)
      lost.word.pointee.bitwiseOr(JournalLayout.retiredBit, ordering: .acquiringAndReleasing)
    } catch {
      report(.notStored, paths.journal, error.description)
    }
  }

  private func putAside(_ lost: Journal, _ text: String) {
    var kept: String?
    do throws(StorageError) {
      try giveLockBack(of: lost)
      if let status = try disk.status(of: paths.journal), status.isSameFile(as: lost.status) {
        kept = try moveAside(paths.journal)
      }
    } catch {
      report(.notStored, paths.journal, error.description)
    }
    report(.damaged, paths.journal, text, keptAt: kept)
  }

  /// Stores what was known before, but for what others have stored in the meantime: that is at
  /// least as new. Without a journal, what is known lives on in this process.
  private func storeAgain(_ known: [String: PropertyListValue]) {
    let place = lockUpToDate()
    // With the lock, so that nobody sets what is then taken for older.
    let stored = place.map {
      scan($0.0, from: JournalLayout.recordsStart, to: $0.0.length).changeSets
    }
    let newer = Set((stored ?? []).flatMap(\.changes).map(\.key))
    let now = values()
    var changes = known.filter { now[$0.key] != $0.value }.map {
      Change(key: $0.key, value: $0.value)
    }
    changes += now.keys.filter { known[$0] == nil }.map { Change(key: $0, value: nil) }
    let missing = ChangeSet(changes.filter { !newer.contains($0.key) })
    let mustSchedule = place.map { write(missing, to: $0.0, $0.1) } ?? write(missing)
    if mustSchedule { process.flusher.schedule(self) }
  }
}
