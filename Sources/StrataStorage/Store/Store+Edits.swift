import CStrata
import Synchronization

/// Noticing what editors, configuration tools and people do to the files. The lock must be held.
extension Store {
  /// Checks whether the files are still the known ones, and takes in those that are not.
  /// - Returns: false if a set can't be stored now.
  @discardableResult
  func verify(for access: Access) -> Bool {
    strata_hold_user()
    defer { strata_release_held_user() }
    _ = hint.take()
    if feed.isSilent { process.noteLook() }
    if feed.isStale { subscribeToFeed() }
    do throws(StorageError) {
      let canStore = try verifyFiles(access)
      if plist.obstacle == nil { settleIssues([.unreadable], about: paths.plist) }
      return canStore
    } catch {
      report(.unreadable, paths.plist, error.description)
      hint.raise()
      return false
    }
  }

  private func verifyFiles(_ access: Access) throws(StorageError) -> Bool {
    if let reason = try rules.distrust?() {
      if reason != distrust { ignore(reason) }
      return false
    }
    if distrust != nil { load() }
    guard let journal else { return try verifyWithoutJournal() }
    guard let status = try disk.status(of: paths.journal), status.isSameFile(as: journal.status)
    else {
      catchUp()
      if self.journal === journal {
        // Until the journal in its place can be opened, the known values stay in effect.
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
  }

  /// Takes edits in before a set: an edit that is taken in after it would count as newer.
  // Out of line: every set has room for it otherwise, and it is rare.
  @inline(never)
  func verifyForWriting() {
    for _ in 0..<Self.verificationsMax {
      if verify(for: .writing) || !hint.isRaised || !canAppend { return }
    }
    // There may be an edit that can't be seen now, than which a record would be older.
    appending.refuse()
  }

  /// Each further attempt means that another process was faster.
  private static let verificationsMax = 8

  private func verifyWithoutJournal() throws(StorageError) -> Bool {
    let now = try disk.status(of: paths.plist)
    let journalIsThere = try disk.status(of: paths.journal) != nil
    let isEpochReplaced = epoch.map { $0.isReplaced(on: disk) } ?? false
    if now != plist.status { try subscribeToLink() }
    let isUnknown = now != plist.status || plist.obstacle != nil || access.isUnknown
    let mayBeNews = isUnknown || isEpochReplaced || isEpochDue || !unsaved.isEmpty
    if mayBeNews || journalIsThere && !isStillDenied { load() }
    return journal != nil
  }

  /// Whether the journal can't be opened, as before: a list need not be read again for that.
  private var isStillDenied: Bool {
    guard case .denied = access else { return false }
    do throws(StorageError) {
      disk.close(try disk.open(paths.journal, .read))
      return false
    } catch {
      return error.code == SystemCode.denied
    }
  }

  /// Whether what the property list holds is not known, or not to the journal.
  var isListUnread: Bool { plist.obstacle != nil || journal?.header.base == .unknown }

  /// Whether there may be an epoch to follow by now: a call may have failed when it was looked for.
  var isEpochDue: Bool { journal == nil && epoch == nil && paths.audience == .user }

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
    try subscribeToLink()
    // The journal first, so that the file that is read then is at least as new as the journal's
    // base, the plist file that its records apply to. A file that was read before another process
    // put a journal on a newer one would pass for an edit.
    catchUp()
    guard let journal = self.journal else { return false }
    let reading = plistFile.read()
    // Once: the journal may be destroyed at any moment.
    let facts = journal.facts
    switch Recovery.standing(of: reading, facts) {
    case .edited:
      return importEdit(reading, into: journal)
    case .adds(let start):
      switch try returnEdit(insteadOf: reading, journal) {
      case .notNeeded: return add(journal, facts, to: reading, from: start)
      case .changed: return try verifyPlist(journal, access)
      case .waiting(let edit):
        hint.raise()
        guard let edit, edit.identity != journal.header.base else { return true }
        guard case .adds(let start) = Recovery.standing(of: edit, facts) else {
          return importEdit(edit, into: journal)
        }
        return add(journal, facts, to: edit, from: start)
      }
    }
  }

  /// Gives an edit the name back that a checkpoint took from it.
  ///
  /// While no journal is based on the file that a checkpoint announced (in its intent) and named,
  /// that checkpoint may be about to find that it took the name from an edit, or may have died
  /// before it looked. The edit gets its name back before anything else: what is set from now on
  /// would otherwise be older than the edit.
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
        journal.beginWriting()
        defer { endTurn(lockOwner) }
        return try returnEdit(insteadOf: reading, journal)
      case .writing: break
      }
      // Giving it back takes another process microseconds, unless that is stopped.
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
    /// Another file has the name now.
    case changed
    /// The edit has yet to get its name back, from a process that is stopped. What is set meanwhile
    /// is newer than the edit, unless the edit can't be read (nil).
    case waiting(PlistReading?)
  }

  private static let returnPause: Int64 = 100_000

  /// Subscribes to the target of the plist file if that has become a link, or another link.
  private func subscribeToLink() throws(StorageError) {
    guard try disk.destination(of: paths.plist) != nil else { return }
    hasNewLink = true
    if !feed.subscribe(hint, toTargetOf: paths.plist) { isSubscribed = false }
  }

  /// Takes in a file that is no edit, or not known to be one, under the journal's records.
  /// - Returns: false if it must be looked at again.
  private func add(
    _ journal: Journal, _ facts: Recovery.JournalFacts, to reading: PlistReading, from start: Int
  ) -> Bool {
    // This includes a journal from before a restart of the machine that this process goes on with.
    if Recovery.mustRebase(reading, facts), rebase(journal, on: reading, from: start) {
      load()
      return self.journal != nil
    }
    // A damaged one is news only to who knew nothing of its content.
    let isNews =
      plist.obstacle == nil
      ? Recovery.isNew(reading, facts) : reading.obstacle == nil
    guard isNews else {
      note(reading)
      return true
    }
    guard let scan = scan(journal, from: start, to: Int(truncatingIfNeeded: table.applied)) else {
      catchUp()
      return false
    }
    adopt(reading, with: .read(journal, scan), applied: table.applied)
    return true
  }

  /// Puts a journal with the same records, but based on another file, in the place of `old`.
  /// - Returns: true to look again; false if the journal can't be stored.
  func rebase(_ old: Journal, on reading: PlistReading, from start: Int) -> Bool {
    do throws(StorageError) {
      let header = try names.header(on: reading)
      var plan = SuccessorPlan(header: header, start: start)
      if Recovery.isLate(reading, old.facts) {
        plan.note(late: reading)
      } else if Recovery.recordsBefore(reading, old.header) != nil {
        plan.announcement = .overtaken
      } else if start == JournalLayout.recordsStart {
        plan.announcement = .pending
      }
      _ = try replace(old, by: plan)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      // What is set now would be older than a file that can't be read, and may be an edit.
      if reading.obstacle != nil { appending.refuse() }
      return false
    }
  }

  /// Notes a file that is no edit: known content under a new status, or content that can't be used.
  private func note(_ reading: PlistReading) {
    plist.note(reading, at: strata_coarse_now())
    tell(reading)
  }

  /// Whether another program with this library wrote the file by another path, whose journal knows
  /// nothing of this one, while changes were pending here.
  private func isOfAnotherWay(
    _ reading: PlistReading, _ old: Journal
  ) throws(StorageError) -> Bool {
    guard case .intact = reading.content, old.length > JournalLayout.recordsStart else {
      return false
    }
    return try disk.destination(of: paths.plist) != nil
  }

  /// Takes an edit in: it is newer than every record, and older than every later set.
  ///
  /// A new journal based on the edited file takes the old one's place, so that all processes agree
  /// which sets came before the edit.
  /// - Returns: false if things changed meanwhile.
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
      adopt(reading, with: .carried(new.journal, CarriedRecords()), applied: new.key)
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      adopt(reading, with: nothing, applied: JournalWord.key(length: old.length))
      plist.forgetStatus()  // the journal is still based on another file
      hint.raise()
      appending.refuse()
      return true
    }
  }
}
