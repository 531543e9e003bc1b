import CStrata

/// Reading what is on disk. The lock must be held.
extension Store {
  /// Takes in the plist file and the journal as they are, whatever was known before.
  ///
  /// - Parameter making: whether a journal is needed, as for a set; a read needs none.
  func load(making: Bool = false) {
    strata_hold_user()
    defer { strata_release_held_user() }
    // What somebody removes from under a running program is not made again by a read.
    let isFirst = phase == .closed || isEpochDue
    let mayPostpone = (phase == .closed || process.isShort) && !making
    var firstReading: FirstReading?
    if case .journal(let reading) = postponed { firstReading = reading }
    phase = .open
    postponed = .nothing
    let loss = loss
    appending = .allowed
    if forks != ProcessEvents.forks { forgetParent() }
    prepareDirectories(making: making, isFirst: isFirst)
    subscribeToFeed()
    do throws(StorageError) {
      if let reason = try rules.distrust?() { return ignore(reason) }
    } catch {
      return remember(while: error)
    }
    trust()
    var isNeeded = making || !unsaved.isEmpty
    if !isNeeded, journal == nil, rules.isRare, isNothingThere(isFirst: isFirst) { return }
    for _ in 0..<100 {
      var found = openJournal(making: isNeeded)
      var word: UInt64 = 0
      postponed = mayPostpone && !isNeeded && found.isNothing ? .epoch : .nothing
      if found.journal == nil, !isEpochPostponed {
        word = lookAtEpoch(isFirst: isFirst)
        found = openJournal(making: isNeeded)
      }
      // It is not what this process has followed: what is known of that would be forgotten.
      if let journal, isLost(journal, in: found) {
        if let loss { appending = .lost(loss) }
        return recover(from: journal, "it was replaced")
      }
      // Until the journal in its place can be opened, the known values stay in effect.
      if found.journal == nil, journal != nil, names.isTaken {
        appending.refuse()
        return hint.raise()
      }
      let reading = plistFile.read(unless: firstReading)
      firstReading = nil
      let first = firstChanges(on: reading, &found)
      if !isNeeded, first != nil {
        isNeeded = true
        directories.make(isReading: true)
        continue
      }
      if settle(reading, with: found, first: first, epoch: word, making: isNeeded) {
        if !unsaved.isEmpty, canAppend, journal?.isWritable == true { storeNow() }
        return
      }
    }
    report(.unreadable, paths.plist, "it changes faster than it can be read")
  }

  private func prepareDirectories(making: Bool, isFirst: Bool) {
    if making {
      directories.make(isReading: false)
      rules.beforeStoring?()
    }
    if paths.machinePlace != nil {
      process.noteShared(paths)
      // The journal elsewhere may have outlived the directory, which a flush needs.
      if isFirst, paths.audience == .user { directories.make(isReading: true) }
    }
  }

  /// Whether what is in a followed journal's place has nothing to do with it.
  private func isLost(_ followed: Journal, in found: JournalAccess) -> Bool {
    if isRecovering { return false }
    switch found {
    case .none: return true
    case .open(let found):
      return !found.status.isSameFile(as: followed.status) && !followed.isContinued(by: found)
    case .denied, .unknown: return false
    }
  }

  /// What a domain without files begins with. If that can't be read now, no journal can be had, and
  /// there may be values that are not known.
  private func firstChanges(
    on reading: PlistReading, _ found: inout JournalAccess
  ) -> ChangeSet? {
    guard found.journal == nil else { return nil }
    let opener = opener
    defer { for issue in opener.issues { report(issue) } }
    do throws(StorageError) {
      let first = try opener.firstChanges(on: reading)
      if access.isUnknown { settleIssues([.unreadable], about: paths.journal) }
      return first
    } catch {
      found = .unknown(error)
      let text =
        error.description
        + "; what is set is kept in memory until that file can be read, or is removed"
      report(.unreadable, paths.journal, text)
      return nil
    }
  }

  /// Goes on with what is known, while it can't be told whether the files count.
  private func remember(while error: StorageError) {
    epoch = nil
    let reading = PlistReading(status: nil, identity: .unknown, content: .unreadable(error))
    adopt(reading, with: .missing(.unknown(error)), applied: LocalWord.value)
    appending.refuse()
  }

  private func trust() {
    distrust = nil
    settleIssues([.notTrusted])
  }

  /// Ignores files that anyone could have written; nor does this process write to them.
  func ignore(_ reason: String) {
    distrust = reason
    report(.notTrusted, paths.plist, reason)
    epoch = nil
    adopt(.absent, with: .missing(.none), applied: LocalWord.value)
    appending.refuse()
  }

  /// Stores the unsaved changes now, without waiting for the time of the next attempt.
  private func storeNow() {
    flushSchedule.retryNow()
    _ = storeUnsaved()
  }

  /// Subscribes to all that is done to the files.
  func subscribeToFeed() {
    feed = process.feed
    isSubscribed = subscribeToFiles(hint, feed)
  }

  /// Subscribes to all that may concern the domain: changes to the plist file, also where a link
  /// leads to it, and to the names of the journal and the lock file.
  /// - Returns: whether all of it can be heard.
  func subscribeToFiles(_ hint: ChangeHint, _ feed: Feed) -> Bool {
    if feed.isSilent { return false }
    let isPlistHeard = feed.subscribe(hint, to: [paths.name], in: paths.directory)
    let isJournalHeard = feed.subscribe(
      hint, to: [paths.journalName, StorePaths.lockFileName], in: paths.hidden, for: .names,
      isHeld: true)
    return feed.subscribe(hint, toTargetOf: paths.plist) && isPlistHeard && isJournalHeard
  }

  /// Takes in a plist file with the journal found beside it.
  /// - Returns: false if things changed meanwhile, and must be looked at again.
  private func settle(
    _ reading: PlistReading, with access: JournalAccess, first: ChangeSet? = nil,
    epoch word: UInt64, making: Bool
  ) -> Bool {
    guard let found = access.journal else {
      if word == 0 { epoch = nil }
      let applied = epoch != nil ? word : isEpochPostponed ? 0 : LocalWord.value
      // A domain's first values are known here even where no journal can be had to hold them.
      adopt(reading, with: .missing(access), first: first, applied: applied)
      return true
    }
    var facts = found.facts
    if facts.rescued == nil { facts.rescued = bringing }
    let standing = Recovery.standing(of: reading, facts)
    guard case .adds(let start) = standing else { return importEdit(reading, into: found) }
    let state = found.state
    // Destroyed since it was opened: it must be mended first.
    guard state.isSound || !found.isWritable else { return false }
    let length = state.length
    var mustAskAgain = false
    defer {
      if mustAskAgain {
        plist.forgetStatus()
        hint.raise()
      }
    }
    switch returnEditOrReport(insteadOf: reading, found) {
    case .notNeeded: break
    case .changed: return false
    case .waiting(let edit):
      hint.raise()
      guard let edit else {
        // Before the next set, which would be older than an edit that gets its name back then.
        mustAskAgain = true
        break
      }
      return settle(edit, with: access, epoch: word, making: making)
    }
    if !making, found.holdsNothing, !Recovery.mustRebase(reading, facts) {
      // Whether it is of this boot is asked before the first set.
      found.mayBeOfEarlierBoot = true
      let nothing = Records.read(found, JournalScan(of: found.header))
      adopt(reading, with: nothing, applied: JournalWord.key(length: length))
      return true
    }
    switch Recovery.addition(to: reading, facts, boot: disk.bootID()) {
    case .ofThisBoot: return replaceEarlierBoots(found, on: reading, from: start, length)
    case .rebased where rebase(found, on: reading, from: start): return false
    case .rebased, .asItIs:
      guard let scan = scan(found, from: start, to: length) else { return false }
      adopt(reading, with: .read(found, scan), applied: JournalWord.key(length: length))
      return true
    }
  }

  private func returnEditOrReport(
    insteadOf reading: PlistReading, _ journal: Journal
  ) -> EditReturn {
    do throws(StorageError) {
      return try returnEdit(insteadOf: reading, journal)
    } catch {
      report(.notStored, error.path, error.description)
      return .waiting(nil)
    }
  }

  /// Puts a journal of this boot in the place of one from before a restart; if that fails, reads
  /// the old one.
  private func replaceEarlierBoots(
    _ found: Journal, on reading: PlistReading, from start: Int, _ length: Int
  ) -> Bool {
    do throws(StorageError) {
      if found.isWritable {
        let plan = try SuccessorPlan(of: found, on: reading, names)
        guard let new = try replace(found, by: plan) else { return false }
        try JournalDraft.sweep(paths.draftStem(continuing: nil), on: disk)
        adopt(reading, with: .carried(new.journal, new.carried), applied: new.key)
        return true
      }
    } catch {
      report(.notStored, paths.journal, error.description)
      appending.refuse()
    }
    let end = found.size(upTo: disk.journalSizeMax)
    guard let scan = scan(found, from: start, to: end) else { return false }
    adopt(reading, with: .read(found, scan), applied: JournalWord.key(length: length))
    return true
  }

  /// A journal, and what it adds to the property list. Only from this is it known which record the
  /// next one follows.
  enum Records {
    /// There is no journal, or none that can be opened.
    case missing(JournalAccess)
    /// These records were read from the journal.
    case read(Journal, JournalScan)
    /// The journal was made with these records, and was durable before it got its name.
    case carried(Journal, CarriedRecords)

    var access: JournalAccess {
      switch self {
      case .missing(let access): access
      case .read(let journal, _), .carried(let journal, _): .open(journal)
      }
    }

    /// Whether there are none but the one that ends there.
    func areNone(except outdatedEnd: Int?) -> Bool {
      switch self {
      case .missing: true
      case .read(_, let scan): scan.ends.allSatisfy { $0 == outdatedEnd }
      case .carried(_, let carried): carried.count == 0
      }
    }
  }

  /// Replaces all values by what the file and the records say.
  func adopt(
    _ reading: PlistReading, with records: Records, first: ChangeSet? = nil, applied: UInt64
  ) {
    tell(reading)
    let before = watches.isEmpty ? nil : content.allShown()
    defer { if let before { watches.note(from: before, to: content.allShown()) } }
    let outdatedEnd = outdatedEnd(in: records, reading)
    if unsaved.isInherited, !isKnown(reading, records, except: outdatedEnd, applied) {
      unsaved.dropInherited()
    }
    table.hidden(if: journal != nil) {
      content.replace(with: reading)
      plist.note(reading, at: strata_coarse_now())
      if let first { content.apply(first) }
      switch records {
      case .missing: break
      case .read(_, let scan): content.apply(scan, except: outdatedEnd)
      case .carried(_, let carried): carried.apply(to: content)
      }
      content.apply(unsaved.changeSet)
      follow(records.access)
      if case .read(let journal, let scan) = records { journal.resume(after: scan) }
      table.applied = applied
    }
  }

  /// Whether nobody has stored anything since this process, or its parent before a fork, last knew
  /// all that was stored.
  private func isKnown(
    _ reading: PlistReading, _ records: Records, except outdatedEnd: Int?, _ applied: UInt64
  ) -> Bool {
    // Of a list that can't be read at all, it can't be told yet.
    let canTell = reading.obstacle == nil || reading.status != nil
    if canTell, reading.status != plist.status { return false }
    guard let journal else { return records.areNone(except: outdatedEnd) }
    guard let found = records.access.journal else { return false }
    return found.status.isSameFile(as: journal.status) && applied == table.applied
  }

  /// Where the record ends that was brought from a lost journal and is older than a file of that,
  /// as long as the journal has not got this file as its base, as on a full disk.
  private func outdatedEnd(in records: Records, _ reading: PlistReading) -> Int? {
    // First what costs nothing: each first read is here.
    guard case .read(let journal, _) = records, journal.replacesDestroyed,
      Recovery.isLate(reading, journal.facts)
    else { return nil }
    return journal.outdatedEnd(beside: reading.held)
  }

  /// Takes the word of this journal for the truth from now on, or the directory's epoch if there is
  /// none.
  func follow(_ found: JournalAccess) {
    let new = found.journal
    guard new !== journal || new == nil else { return }
    if case .lost = appending { appending = .refused }
    let (base, newBase) = (journal?.header.base, new?.header.base)
    table.follow(new ?? epoch)
    if new != nil, journal == nil { process.admit(self) }
    access = found
    if !watches.isEmpty { countWatcher(+1) }
    flushSchedule.restart(onSameBase: base == nil || newBase == nil || base == newBase)
  }

  /// Reports what is wrong with the file, or withdraws such reports if nothing is any more.
  func tell(_ reading: PlistReading) {
    switch reading.content {
    case .damaged(let salvage):
      report(
        .damaged, paths.plist,
        "at least \(salvage.damagedCount) of its values are lost; "
          + "\(salvage.entries.count) were recovered"
      )
    case .malformed(let text):
      report(.malformed, paths.plist, text)
    case .unreadable(let error):
      report(.unreadable, paths.plist, error.description + "; " + Self.remedy(for: error))
    case .absent, .intact, .foreign:
      settleIssues([.malformed, .unreadable], about: paths.plist)
    }
  }

  /// What to do about a file that can't be read.
  private static func remedy(for error: StorageError) -> String {
    let wish =
      switch error.code {
      case SystemCode.denied, SystemCode.notPermitted: "give this user permission to read it"
      case SystemCode.tooManyFiles, SystemCode.tooManyFilesOfAll:
        "close some files, or raise the limit on open files (ulimit -n)"
      case SystemCode.noMemory: "free some memory"
      case 0: "see to that"
      default: "check the disk, or what is in its place"
      }
    return
      "the file is left as it is, and new values are kept in the journal until it can be read; "
      + wish
  }
}
