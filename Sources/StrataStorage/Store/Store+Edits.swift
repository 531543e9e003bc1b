import CStrata
import Synchronization

/// Noticing what editors, configuration tools and people do to the files. The lock must be held.
extension Store {
  /// Looks whether the files are still those that are known, and takes in those that are not.
  /// - Returns: false when a write can't be stored now.
  @discardableResult
  func verify(for access: Access) -> Bool {
    _ = hint.take()
    if feed.isStale { subscribeToFeed() }
    if let reason = rules.distrust?() {
      ignore(reason)
      return false
    }
    do throws(StorageError) {
      guard let journal else { return try verifyWithoutJournal() }
      guard let status = try disk.status(of: paths.journal), status.isSameFile(as: journal.status)
      else {
        catchUp()
        if self.journal === journal {
          // As long as the one that took its place can't be opened, what is known is all there is.
          if journal.isSucceeded {
            hint.raise()
            return false
          }
          recover(from: journal, "it was removed")
        }
        guard let next = self.journal, next !== journal else { return self.journal != nil }
        return try verifyPlist(next, access)
      }
      if let lockOwner, try disk.status(of: paths.lockFile) != nil,
        try !process.isInPlace(lockOwner, for: paths)
      {
        self.lockOwner = try process.lockOwner(for: paths, insteadOf: lockOwner)
      }
      return try verifyPlist(journal, access)
    } catch {
      report(.unreadable, error.path, error.description)
      hint.raise()
      return false
    }
  }

  /// Takes in what is there before a set: an edit that is taken in after it would be newer.
  func verifyForWriting() {
    for _ in 0..<Self.verificationsMax {
      if verify(for: .writing) || !hint.isRaised || !canAppend { return }
    }
  }

  /// Each time another process was faster.
  private static let verificationsMax = 8

  private func verifyWithoutJournal() throws(StorageError) -> Bool {
    let now = try disk.status(of: paths.plist)
    let journalIsThere = try disk.status(of: paths.journal) != nil
    let isEpochReplaced = epoch.map { $0.isReplaced(paths, on: disk) } ?? false
    if now != plist.status { try listenToLink() }
    let isUnknown = now != plist.status || plist.obstacle != nil
    if isUnknown || journalIsThere || isEpochReplaced || !unsaved.isEmpty { load() }
    return journal != nil
  }

  private static let secondLook: Int64 = 15_000_000

  private func verifyPlist(_ journal: Journal, _ access: Access) throws(StorageError) -> Bool {
    let now = try disk.status(of: paths.plist)
    switch plist.look(now, journal.header, for: access) {
    case .known: return true
    case .missing:
      hint.raise()
      table.checkAt = strata_coarse_now() + Self.secondLook
      return true
    case .changed: break
    }
    try listenToLink()
    // The journal first: what is read after that is at least as new as what it stands on. A file
    // that was read before another process put a journal on a newer one would pass for an edit.
    catchUp()
    guard let journal = self.journal else { return false }
    let reading = plistFile.read()
    switch Recovery.standing(of: reading, base: journal.header.base, intent: journal.intent) {
    case .edited:
      return importEdit(reading, into: journal)
    case .adds(let start):
      switch try returnEdit(insteadOf: reading, journal) {
      case .notNeeded: return add(journal, to: reading, from: start)
      case .changed: return try verifyPlist(journal, access)
      case .waiting(let edit):
        hint.raise()
        guard let edit, edit.identity != journal.header.base else { return true }
        return importEdit(edit, into: journal)
      }
    }
  }

  /// As long as no journal stands on a file that a checkpoint announced and named, whoever does
  /// that may be about to see that it took the name from an edit, or may have died before that. The
  /// edit gets its name back first: what is set from now on would else be older than the edit.
  func returnEdit(
    insteadOf reading: PlistReading, _ journal: Journal
  ) throws(StorageError) -> EditReturn {
    guard journal.isWritable, let intent = journal.intent, reading.identity == intent.identity,
      reading.identity != journal.header.base
    else { return .notNeeded }
    let patience = awaited == nil || awaited != reading.status ? disk.patience : 0
    let end = strata_coarse_now() + patience
    while try plistFile.hasTakenName(reading, as: intent, in: journal.header) {
      switch checkpointTurn {
      case .held:
        try plistFile.giveBack(insteadOf: reading, at: intent.draft)
        return .changed
      case .none:
        let lockOwner = try currentLockOwner()
        guard try lockOwner.beginCheckpoint(of: paths.name) else { break }
        checkpointTurn = .held
        defer { endTurn(lockOwner) }
        return try returnEdit(insteadOf: reading, journal)
      case .writing: break
      }
      // Microseconds, unless it is stopped.
      if strata_coarse_now() >= end {
        awaited = reading.status
        let edit = try plistFile.read(under: intent.draft)
        return .waiting(edit.isSound && edit.status != nil ? edit : nil)
      }
      Alarm().sleep(0, atMost: Self.returnPause)
    }
    return try disk.status(of: paths.plist) == reading.status ? .notNeeded : .changed
  }

  /// What became of an edit that lost its name.
  enum EditReturn {
    /// No edit has lost its name.
    case notNeeded
    /// The file is another one now.
    case changed
    /// It is still to get its name back from a process that is stopped. What is set meanwhile is
    /// newer, unless it can't be read.
    case waiting(PlistReading?)
  }

  private static let returnPause: Int64 = 100_000

  /// The file may have become a link, or another one.
  private func listenToLink() throws(StorageError) {
    guard try disk.destination(of: paths.plist) != nil else { return }
    hasNewLink = true
    if !feed.subscribe(hint, toTargetOf: paths.plist) { isSubscribed = false }
  }

  /// A file that is no edit, or that nobody knows to be one, takes its place under the records.
  /// - Returns: false when it is to be looked at again.
  private func add(_ journal: Journal, to reading: PlistReading, from start: Int) -> Bool {
    // Also in a journal of another start of the machine, which this process goes on with.
    if Recovery.mustRebase(reading, journal.facts), rebase(journal, on: reading, from: start) {
      load()
      return self.journal != nil
    }
    guard reading.isSound, plist.obstacle != nil else {
      note(reading)
      return true
    }
    // What it holds was not known until now.
    let scan = scan(journal, from: start, to: Int(truncatingIfNeeded: table.applied))
    adopt(reading, with: .read(journal, scan), applied: table.applied)
    return true
  }

  /// Puts a journal with the same records in the place of `old`, on another file.
  /// - Returns: whether to look again; else it can't be stored.
  func rebase(_ old: Journal, on reading: PlistReading, from start: Int) -> Bool {
    do throws(StorageError) {
      let header = try names.header(on: reading)
      _ = try replace(
        old,
        by: SuccessorPlan(
          header: header, start: start,
          announcement: start == JournalLayout.recordsStart ? .pending : .over))
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }

  /// A file that is no edit: the known content under a new status, or one that can't be used.
  private func note(_ reading: PlistReading) {
    plist.note(reading, at: strata_coarse_now())
    tell(reading)
  }

  /// Whether a program like this one wrote the file by another path, whose journal knows nothing of
  /// this one, while something was pending here.
  private func isOfAnotherWay(
    _ reading: PlistReading, _ old: Journal
  ) throws(StorageError) -> Bool {
    guard case .intact = reading.content, old.length > JournalLayout.recordsStart else {
      return false
    }
    return try disk.destination(of: paths.plist) != nil
  }

  /// Takes an edit as what it is: newer than every record, older than every later set.
  ///
  /// A new journal that stands on the edited file takes the old one's place, so that all processes
  /// agree which sets came before.
  /// - Returns: false when things changed meanwhile, or when it can't be stored.
  func importEdit(_ reading: PlistReading, into old: Journal) -> Bool {
    let nothing = Records.read(old, JournalScan(of: old.header))
    do throws(StorageError) {
      guard old.isWritable else {
        adopt(reading, with: nothing, applied: JournalWord.key(length: old.length))
        return true
      }
      let header = try names.header(on: reading)
      let plan = SuccessorPlan(header: header, announcement: .overtaken)
      guard let new = try replace(old, by: plan) else {
        hint.raise()
        return false
      }
      if try isOfAnotherWay(reading, old) {
        report(
          .notStored, paths.plist,
          "it is a link, and its target was written through another path; what was set through "
            + "this one but not yet written is lost. Use one path per file")
      }
      adopt(reading, with: .carried(new.journal, []), applied: new.key)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      adopt(reading, with: nothing, applied: JournalWord.key(length: old.length))
      plist.forgetStatus()  // as long as the journal stands on another
      hint.raise()
      appending.refuse()
      return true
    }
  }
}
