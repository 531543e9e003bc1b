import Synchronization

/// Putting a new journal in the place of one: after a checkpoint, an edit, a start of the machine.
///
/// 1. The new one is made in a file of its own, and made durable.
/// 2. The old one is *retired*: nobody appends to it any more, and it is known what it holds.
/// 3. The old one says who comes next, which only one of those that were made can be.
/// 4. The new one gets the domain's name.
///
/// No step waits for anybody. A process that stops after the second is waited for a moment by those
/// who write, who then make a new journal themselves; those who read know all there is until the
/// third. Whoever finds the third done does the fourth before anything else.
extension Store {
  /// What a journal is to begin with that continues another one.
  struct SuccessorPlan {
    var header: JournalHeader
    /// From where the old one's records are carried over; nil when none is.
    var start: Int?
    var announcement = Announcement.over
    /// Whether only the last value of each key is carried over.
    var compacts = false
  }

  /// What the new one says of a checkpoint that was announced in the old one.
  enum Announcement {
    /// Nothing: it took place, or can't any more.
    case over
    /// It may still take place.
    case pending
    /// It may still take the name from the edited file that the new one stands on.
    case overtaken
  }

  /// What becomes of a journal that is found beside this plist file.
  func successorPlan(
    of old: Journal, on reading: PlistReading
  ) throws(StorageError) -> SuccessorPlan {
    var header = try header(on: reading)
    switch Recovery.standing(of: reading, base: old.header.base, intent: old.intent) {
    case .edited:
      return SuccessorPlan(header: header, start: nil, announcement: .overtaken)
    case .adds(let start):
      // What was announced has its name, and must not be announced once more: the next file would
      // be announced in its place, and this one pass for an edit.
      if reading.identity == old.intent?.identity, reading.identity != old.header.base {
        return SuccessorPlan(header: header, start: start)
      }
      if reading.identity != old.header.base { header.base = old.header.base }
      return SuccessorPlan(header: header, start: start, announcement: .pending)
    }
  }

  /// A journal that is made, and what it has of the old one.
  struct JournalSuccessor {
    let draft: JournalDraft
    let successorPlan: SuccessorPlan
    /// Up to where in the old one; and up to where of that is durable here.
    var length: Int
    var durableLength: Int
    var changeSets: [ChangeSet] = []
    var damagedCount = 0
    /// Where their records end in the old one.
    var ends: [Int] = []

    /// What was announced in the old one, as it is to be said in the new one.
    func intent(of old: Journal) -> CheckpointIntent? {
      guard successorPlan.announcement != .over, let intent = old.intent else { return nil }
      var covers = 0
      if successorPlan.announcement == .pending, !intent.isOvertaken {
        let count = ends.prefix { $0 <= intent.covers }.count
        covers = count == 0 ? JournalLayout.recordsStart : draft.ends[count - 1]
      }
      return CheckpointIntent(identity: intent.identity, covers: covers, draft: intent.draft)
    }
  }

  /// Puts a journal in the place of `old`. The lock must be held.
  /// - Returns: nil when another process was faster, or when things changed meanwhile.
  func replace(_ old: Journal, by successorPlan: SuccessorPlan) throws(StorageError)
    -> InstalledJournal?
  {
    var successor = try makeSuccessor(of: old, successorPlan)
    return try install(&successor, of: old)
  }

  /// A journal that took another's place, and what was in it at that moment. Others may have
  /// appended to it since.
  struct InstalledJournal {
    let journal: Journal
    let changeSets: [ChangeSet]
    /// What the table's word is once it has these.
    let key: UInt64
  }

  /// The first step, which needs no lock.
  func makeSuccessor(of old: Journal, _ successorPlan: SuccessorPlan) throws(StorageError)
    -> JournalSuccessor
  {
    let length = old.length
    let size = try disk.status(of: old.file).size
    var header = successorPlan.header
    header.lineage = old.header.lineage
    let draft = try draft(header, continuing: old)
    var successor = JournalSuccessor(
      draft: draft, successorPlan: successorPlan, length: length, durableLength: length)
    do throws(StorageError) {
      if let start = successorPlan.start {
        // After a start of the machine, the word may be older than the records.
        let end = old.header.boot == disk.bootID() ? length : size
        let scan = old.scan(from: start, to: end, ofAtMost: size, unsound: unsound(in: old))
        if successorPlan.compacts {
          try bringCompacted(scan, to: &successor)
        } else {
          try bring(scan, to: &successor)
        }
      }
      try draft.synchronize(announcing: successor.intent(of: old))
      return successor
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
  }

  private func bring(_ scan: JournalScan, to successor: inout JournalSuccessor) throws(StorageError)
  {
    try successor.draft.append(scan.changeSets)
    successor.changeSets += scan.changeSets
    successor.ends += scan.ends
    successor.damagedCount += scan.damagedCount
  }

  /// A checkpoint that was announced covers none of what is merged here: all of it is added to the
  /// file once more, which changes nothing.
  private func bringCompacted(_ scan: JournalScan, to successor: inout JournalSuccessor)
    throws(StorageError)
  {
    var merged = UnsavedChanges()
    for changes in scan.changeSets { merged.add(changes) }
    successor.damagedCount += scan.damagedCount
    for part in merged.parts(ofAtMost: Self.changeSetSizeMax) {
      try successor.draft.append([part])
      successor.changeSets.append(part)
      successor.ends.append(.max)
    }
  }

  /// The other steps. The lock must be held.
  func install(_ successor: inout JournalSuccessor, of old: Journal) throws(StorageError)
    -> InstalledJournal?
  {
    if successor.damagedCount > 0 { noteDamage(of: old, successor.damagedCount) }
    do throws(StorageError) {
      guard try retire(old, for: &successor) else {
        try successor.draft.discard()
        return nil
      }
      try complete(successor, of: old)
      // Else the name is that of a journal of others, who don't know this one.
      guard try hasName(old) else {
        try successor.draft.discard()
        hint.raise()
        return nil
      }
      guard old.publish(successor.draft.number, insteadOf: old.danglingSuccessor) else {
        try successor.draft.discard()
        return nil
      }
    } catch {
      try successor.draft.discard()
      throw error
    }
    // From here on the old one is of the past, whatever fails.
    let new = try successor.draft.journal(named: paths.journal)
    try name(successor.draft.path)
    try JournalDraft.sweep(
      paths.draftStem(continuing: old.header.id), below: successor.draft.number, on: disk)
    if old.status.nameCount > 1 {
      try JournalDraft.sweep(paths.draftStem(continuing: nil), of: old.status, on: disk)
    }
    return InstalledJournal(
      journal: new, changeSets: successor.changeSets,
      key: JournalWord.key(length: successor.draft.end))
  }

  func hasName(_ journal: Journal) throws(StorageError) -> Bool {
    try disk.status(of: paths.journal)?.isSameFile(as: journal.status) ?? false
  }

  /// Has nobody append to the old one, and brings over what came in since.
  /// - Returns: false when it can't be told what the old one holds.
  private func retire(_ old: Journal, for successor: inout JournalSuccessor) throws(StorageError)
    -> Bool
  {
    if old.header.boot != disk.bootID() { return retireForeign(old, successor) }
    for _ in 0..<1_000 {
      let word = old.awaitTurn()
      guard word.isSound, !old.mapping.isLost else { return false }
      // Whoever retired it may have stopped.
      if word.isRetired { return try bringLate(upTo: word.length, of: old, to: &successor) }
      // Where the file ends, nothing is reserved: whoever waited for that would touch what is not.
      let turn = old.isWhole(upTo: word.length + Self.turnSize) ? Self.turnSize : 0
      guard turn == 0 || old.reserve(turn, at: word.length) else { continue }
      do throws(StorageError) {
        guard try bringLate(upTo: word.length, of: old, to: &successor) else {
          old.release(turn, at: word.length)
          return false
        }
      } catch {
        old.release(turn, at: word.length)
        throw error
      }
      if old.retire(at: word.length, reserved: turn) { return true }
    }
    return false
  }

  /// So much is reserved by whoever only wants that nobody else appends.
  private static let turnSize = 8

  /// A journal of another start of the machine may be in use all the same, by processes that know
  /// another boot id than this one.
  private func retireForeign(_ old: Journal, _ successor: JournalSuccessor) -> Bool {
    let word = old.awaitTurn()
    guard word.isSound else { return true }
    return word.length == successor.length && (word.isRetired || old.retire(at: word.length))
  }

  private func bringLate(
    upTo end: Int, of old: Journal, to successor: inout JournalSuccessor
  ) throws(StorageError) -> Bool {
    guard end >= successor.length, journal !== old || take(upTo: end, of: old) else { return false }
    if successor.successorPlan.start != nil, end > successor.length {
      try bring(scan(old, from: successor.length, to: end), to: &successor)
    }
    successor.length = end
    return true
  }

  /// Writes into the new one what is known only now that the old one is retired.
  private func complete(_ successor: JournalSuccessor, of old: Journal) throws(StorageError) {
    if old.isDamaged { try keep(old) }
    let isContinued = successor.successorPlan.start != nil && old.header.boot == disk.bootID()
    let continuing =
      isContinued
      ? JournalContinuation(id: old.header.id, length: successor.length, end: successor.draft.end)
      : nil
    let intent = successor.intent(of: old)
    // A power cut may have left others than the old one says.
    if old.header.boot == disk.bootID() { successor.draft.plistDraft = old.plistDraft }
    // What somebody made durable in the old one must be so in the new one.
    let synced = Int(clamping: old.syncedLength.pointee.load(ordering: .acquiring))
    if intent == nil, synced <= successor.durableLength || successor.successorPlan.start == nil {
      try successor.draft.writeHead(announcing: nil, continuing: continuing)
    } else {
      try successor.draft.synchronize(announcing: intent, continuing: continuing)
    }
  }

  /// A damaged journal is not lost with its name.
  private func keep(_ damaged: Journal) throws(StorageError) {
    let size = try disk.status(of: damaged.file).size
    let bytes = damaged.bytes(0..<min(size, disk.journalSizeMax))
    let stem = paths.journal + ".damaged-" + ProcessEvents.timestamp()
    var attempt = 1
    while true {
      let path = attempt == 1 ? stem : stem + "-\(attempt)"
      do throws(StorageError) {
        let file = try disk.open(path, .create(mode: paths.fileMode))
        defer { disk.close(file) }
        try disk.write(bytes, to: file, at: 0)
        try disk.synchronize(file)  // Durability: it is all that is left
        return report(.damaged, paths.journal, "what it held was kept", keptAt: path)
      } catch {
        guard error.code == SystemCode.exists, attempt < 100 else { throw error }
        attempt += 1
      }
    }
  }

  /// Goes on with a journal that continues the one that was followed.
  func continueWith(_ new: InstalledJournal) {
    follow(new.journal)
    table.applied = new.key
  }

  /// Whoever retired the journal is stopped or dead: another one is made. The lock must be held.
  /// - Returns: whether to look again.
  func completeReplacement(of old: Journal) -> Bool {
    let number = old.awaitSuccessor()
    guard number == old.danglingSuccessor else { return true }
    do throws(StorageError) {
      var reading = plistFile.read()
      switch try returnEdit(insteadOf: reading, old) {
      case .none: break
      case .changed: return true
      case .waiting(let edit): reading = edit ?? reading
      }
      var successorPlan = try successorPlan(of: old, on: reading)
      successorPlan.compacts = isWorthCompacting(old)
      guard let new = try replace(old, by: successorPlan) else { return true }
      if journal === old, successorPlan.start != nil {
        continueWith(new)
      } else {
        adopt(reading, with: .carried(new.journal, new.changeSets), applied: new.key)
      }
      return true
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
  }
}
