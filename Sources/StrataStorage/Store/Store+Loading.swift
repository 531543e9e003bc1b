import Synchronization

/// Finding what is on disk and taking it in. The lock must be held.
extension Store {
  /// Takes in plist and journal as they are, whatever was known before.
  ///
  /// - Parameter making: whether a journal is needed, for a set; a read does without.
  func load(making: Bool = false) {
    // A directory of all users is made when something is to be written there; and what a person
    // takes away from under a program is not made again by whoever only reads.
    let isMaking = making || !isLoaded && paths.audience == .user
    isLoaded = true
    canAppend = true
    refreshParts(making: isMaking)
    if let reason = rules.distrust?() { return ignore(reason) }
    settleIssues([.notTrusted])
    for _ in 0..<8 {
      births = process.births(for: paths)
      let word = births?.word.pointee.load(ordering: .acquiring) ?? 0
      let isNeeded = making || !unstored.isEmpty || hasFirstValues
      let found = openJournal(making: isNeeded)
      let reading = plistFile.read()
      if settle(reading, with: found, births: word) {
        if !unstored.isEmpty, canAppend, journal?.isWritable == true { storeNow() }
        return
      }
    }
    report(.unreadable, paths.plist, "it changes faster than it can be read")
  }

  /// The first journal of a domain without a file carries them: made by one process, once.
  func firstChanges(on reading: PlistReading) -> ChangeSet? {
    guard case .absent = reading.content, let values = rules.firstValues?(), !values.isEmpty else {
      return nil
    }
    return ChangeSet(values.map { Change(key: $0.key, value: $0.value) })
  }

  private var hasFirstValues: Bool {
    do throws(StorageError) {
      guard rules.firstValues != nil, try disk.status(of: paths.journal) == nil,
        try disk.status(of: paths.plist) == nil
      else { return false }
      return firstChanges(on: .absent) != nil
    } catch {
      return false
    }
  }

  /// Files that anyone could have written say nothing; nor does this process write to them.
  func ignore(_ reason: String) {
    report(.notTrusted, paths.plist, reason)
    births = nil
    adopt(.absent, with: nil, records: JournalScan(), applied: OwnWord.value)
    canAppend = false
  }

  /// Stores what a damaged journal still held: it is in this process's memory only.
  private func storeNow() {
    retryAt = 0
    _ = storeUnstored()
  }

  /// Makes anew what a fork leaves to the parent, and asks to hear of changes.
  private func refreshParts(making: Bool) {
    if forks != ProcessEvents.forks { forgetParent() }
    if making { makeDirectories() }
    listen()
  }

  private func makeDirectories() {
    var missing: [String] = []
    var path = paths.hidden
    do {
      while path != "/", path != ".", try disk.status(of: path) == nil {
        missing.append(path)
        path = Path.directory(of: path)
      }
      for path in missing.reversed() {
        try disk.makeDirectory(path, mode: paths.directoryMode)
        areDirectoriesLinked.store(false, ordering: .relaxed)
      }
    } catch {
      // Without a directory there is no journal: `openJournal` says what that means.
    }
  }

  /// Asks to hear of all that is done to the files.
  func listen() {
    feed = process.feed
    isWatching = subscribe(suspicion, to: feed)
  }

  /// All that may concern the domain: what happens to the plist file, also where a link leads to
  /// it, and to the names of the journal and of the file of the locks in it.
  /// - Returns: whether all of it can be heard.
  func subscribe(_ suspicion: Suspicion, to feed: Feed) -> Bool {
    let isPlistHeard = feed.follow(suspicion, to: [paths.name], in: paths.directory)
    let isJournalHeard = feed.follow(
      suspicion, to: [paths.journalName, StorePaths.holdersName], in: paths.hidden, for: .names,
      isHeld: true)
    return feed.follow(suspicion, toTargetOf: paths.plist) && isPlistHeard && isJournalHeard
  }

  /// Takes in a plist file with the journal found beside it.
  /// - Returns: false when things changed meanwhile and must be looked at again.
  private func settle(
    _ reading: PlistReading, with found: Journal?, births word: UInt64
  ) -> Bool {
    guard let found else {
      if word == 0 { births = nil }
      let applied = births == nil ? OwnWord.value : word
      // What a domain begins with is known here where no journal can be had that would carry it.
      adopt(
        reading, with: nil, first: firstChanges(on: reading), records: JournalScan(),
        applied: applied)
      return true
    }
    let standing = Recovery.standing(
      of: reading, base: found.header.base, intent: found.intent)
    let word = found.word.pointee.load(ordering: .acquiring)
    if word & JournalLayout.retiredBit != 0, found.isWritable {
      _ = finishRetirement(of: found)
      return false
    }
    switch standing {
    case .edited:
      return absorb(reading, into: found)
    case .adds(let start):
      guard found.header.boot == disk.bootID() else {
        return settleAfterRestart(reading, with: found, from: start, word)
      }
      let scan = scan(found, from: start, to: Journal.length(word))
      adopt(reading, with: found, records: scan, applied: word)
      return true
    }
  }

  /// What was made durable may not include the word: sound records behind it count, as far as each
  /// follows the one before.
  private func settleAfterRestart(
    _ reading: PlistReading, with found: Journal, from start: Int, _ word: UInt64
  ) -> Bool {
    let scan = scan(found, from: start, to: found.sizeNow(on: disk))
    if found.isWritable { return restart(found, word, reading, scan) }
    adopt(reading, with: found, records: scan, applied: word)
    return true
  }

  /// What the journal holds between two lengths.
  func scan(_ journal: Journal, from start: Int, to end: Int) -> JournalScan {
    let known = journal.isWhole(upTo: end) ? end : min(end, journal.sizeNow(on: disk))
    guard start < known else {
      if start < end { report(.damaged, journal.path, "it was cut off; its records are lost") }
      return JournalScan(missing: start < end)
    }
    let scan = JournalScan(
      journal.bytes(start..<known), offset: start, salt: journal.header.salt,
      soundEnd: Int(clamping: journal.syncedLength.pointee.load(ordering: .relaxed)),
      unsound: Recovery.unsound(in: journal.header.boot, now: disk.bootID()),
      missing: known < end)
    if scan.damagedCount > 0 {
      journal.isDamaged = true
      report(
        .damaged, journal.path, "\(scan.damagedCount) of its records were damaged and are lost")
    }
    return scan
  }

  /// Makes the table what the file and the records say.
  func adopt(
    _ reading: PlistReading, with found: Journal?, first: ChangeSet? = nil,
    records: JournalScan, applied: UInt64
  ) {
    tell(reading)
    let before = watches.isEmpty ? nil : values()
    defer { if let before { noteTouched(since: before) } }
    table.removeAll()
    noteSoundness(of: reading)
    plist = reading.status
    if reading.isSound, reading.status != nil { format = reading.format }
    base = nil
    table.isComplete = true
    if case .intact(let index) = reading.content {
      base = index
      table.isComplete = false
      if index.count <= Self.smallCount { takeInBase() }
    } else {
      for (key, value) in reading.values { Key.with(key) { table.put($0, value) } }
    }
    lookups = 0
    if let first { applyToTable(first) }
    for changes in records.changeSets { applyToTable(changes) }
    applyToTable(unstored.changeSet)
    follow(found)
    found?.lastSum = records.lastSum ?? 0
    table.applied = applied
  }

  /// A file with at most so many keys is taken in whole: of others those that are read.
  private static let smallCount = 16

  /// Takes `journal`'s word for the truth from now on.
  func follow(_ new: Journal?) {
    guard new !== journal || new == nil else { return }
    table.follow(new?.word ?? births?.word ?? ownWord.pointer, insteadOf: wordOwner)
    wordOwner = new ?? births ?? ownWord
    journal = new
    if !watches.isEmpty { countWatcher(+1) }
    hurryAt = Self.journalSizeSoft
  }

  func applyToTable(_ changes: ChangeSet) {
    if changes.replacesAll {
      base = nil
      let word = table.applied
      table.removeAll()
      table.isComplete = true
      table.applied = word
    }
    for change in changes.changes { Key.with(change.key) { table.put($0, change.value) } }
  }

  /// Says what is wrong with the file, or that nothing is any more.
  func tell(_ reading: PlistReading) {
    switch reading.content {
    case .damaged(let salvage):
      report(
        .damaged, paths.plist,
        "at least \(salvage.damagedCount) of its values are lost, "
          + "\(salvage.entries.count) were kept"
      )
    case .malformed(let text):
      report(.malformed, paths.plist, text)
    case .unreadable(let error):
      report(.unreadable, paths.plist, error.description)
    case .absent, .intact, .foreign:
      settleIssues([.malformed, .unreadable], about: paths.plist)
    }
  }
}
