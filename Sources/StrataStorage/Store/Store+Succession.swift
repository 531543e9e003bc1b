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
  struct Succession {
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
  func succession(
    of old: Journal, on reading: PlistReading
  ) throws(StorageError) -> Succession {
    var header = try header(on: reading)
    switch Recovery.standing(of: reading, base: old.header.base, intent: old.intent) {
    case .edited:
      return Succession(header: header, start: nil, announcement: .overtaken)
    case .adds(let start):
      // What was announced has its name, and must not be announced once more: the next file would
      // be announced in its place, and this one pass for an edit.
      if reading.identity == old.intent?.identity, reading.identity != old.header.base {
        return Succession(header: header, start: start)
      }
      if reading.identity != old.header.base { header.base = old.header.base }
      return Succession(header: header, start: start, announcement: .pending)
    }
  }

  /// A journal that is made, and what it has of the old one.
  struct Heir {
    let draft: JournalDraft
    let succession: Succession
    /// Up to where in the old one; and up to where of that is durable here.
    var length: Int
    var durableLength: Int
    var changeSets: [ChangeSet] = []
    var damagedCount = 0
    /// Where their records end in the old one.
    var ends: [Int] = []

    /// What was announced in the old one, as it is to be said in the new one.
    func intent(of old: Journal) -> CheckpointIntent? {
      guard succession.announcement != .over, let intent = old.intent else { return nil }
      var covers = 0
      if succession.announcement == .pending, !intent.isOvertaken {
        let count = ends.prefix { $0 <= intent.covers }.count
        covers = count == 0 ? JournalLayout.recordsStart : draft.ends[count - 1]
      }
      return CheckpointIntent(identity: intent.identity, covers: covers, draft: intent.draft)
    }
  }

  /// Puts a journal in the place of `old`. The lock must be held.
  /// - Returns: nil when another process was faster, or when things changed meanwhile.
  func replace(_ old: Journal, by succession: Succession) throws(StorageError) -> Enthroned? {
    var heir = try makeHeir(of: old, succession)
    return try enthrone(&heir, of: old)
  }

  /// A journal that took another's place, and what was in it at that moment. Others may have
  /// appended to it since.
  struct Enthroned {
    let journal: Journal
    let changeSets: [ChangeSet]
    /// What the table's word is once it has these.
    let key: UInt64
  }

  /// The first step, which needs no lock.
  func makeHeir(of old: Journal, _ succession: Succession) throws(StorageError) -> Heir {
    let length = old.length
    let size = try disk.status(of: old.file).size
    var header = succession.header
    header.lineage = old.header.lineage
    let draft = try draft(header, continuing: old)
    var heir = Heir(draft: draft, succession: succession, length: length, durableLength: length)
    do throws(StorageError) {
      if let start = succession.start {
        // After a start of the machine, the word may be older than the records.
        let end = old.header.boot == disk.bootID() ? length : size
        let scan = old.scan(from: start, to: end, ofAtMost: size, unsound: unsound(in: old))
        if succession.compacts {
          try bringCompacted(scan, to: &heir)
        } else {
          try bring(scan, to: &heir)
        }
      }
      try draft.synchronize(announcing: heir.intent(of: old))
      return heir
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
  }

  private func bring(_ scan: JournalScan, to heir: inout Heir) throws(StorageError) {
    try heir.draft.append(scan.changeSets)
    heir.changeSets += scan.changeSets
    heir.ends += scan.ends
    heir.damagedCount += scan.damagedCount
  }

  /// A checkpoint that was announced covers none of what is merged here: all of it is added to the
  /// file once more, which changes nothing.
  private func bringCompacted(_ scan: JournalScan, to heir: inout Heir) throws(StorageError) {
    var merged = Unstored()
    for changes in scan.changeSets { merged.add(changes) }
    heir.damagedCount += scan.damagedCount
    for part in merged.parts(ofAtMost: Self.changeSetSizeMax) {
      try heir.draft.append([part])
      heir.changeSets.append(part)
      heir.ends.append(.max)
    }
  }

  /// The other steps. The lock must be held.
  func enthrone(_ heir: inout Heir, of old: Journal) throws(StorageError) -> Enthroned? {
    if heir.damagedCount > 0 { noteDamage(of: old, heir.damagedCount) }
    do throws(StorageError) {
      guard try retire(old, for: &heir) else {
        try heir.draft.discard()
        return nil
      }
      try complete(heir, of: old)
      // Else the name is that of a journal of others, who don't know this one.
      guard try hasName(old) else {
        try heir.draft.discard()
        suspicion.raise()
        return nil
      }
      guard old.publish(heir.draft.number, insteadOf: old.danglingSuccessor) else {
        try heir.draft.discard()
        return nil
      }
    } catch {
      try heir.draft.discard()
      throw error
    }
    // From here on the old one is of the past, whatever fails.
    let new = try heir.draft.journal(named: paths.journal)
    try name(heir.draft.path)
    try JournalDraft.sweep(
      paths.draftStem(continuing: old.header.id), below: heir.draft.number, on: disk)
    if old.status.nameCount > 1 {
      try JournalDraft.sweep(paths.draftStem(continuing: nil), of: old.status, on: disk)
    }
    return Enthroned(
      journal: new, changeSets: heir.changeSets, key: JournalWord.key(length: heir.draft.end))
  }

  func hasName(_ journal: Journal) throws(StorageError) -> Bool {
    try disk.status(of: paths.journal)?.isSameFile(as: journal.status) ?? false
  }

  /// Has nobody append to the old one, and brings over what came in since.
  /// - Returns: false when it can't be told what the old one holds.
  private func retire(_ old: Journal, for heir: inout Heir) throws(StorageError) -> Bool {
    if old.header.boot != disk.bootID() { return retireForeign(old, heir) }
    for _ in 0..<1_000 {
      let word = old.awaitTurn()
      guard word.isSound, !old.mapping.isLost else { return false }
      // Whoever retired it may have stopped.
      if word.isRetired { return try bringLate(upTo: word.length, of: old, to: &heir) }
      // Where the file ends, nothing is reserved: whoever waited for that would touch what is not.
      let turn = old.isWhole(upTo: word.length + Self.turnSize) ? Self.turnSize : 0
      guard turn == 0 || old.reserve(turn, at: word.length) else { continue }
      do throws(StorageError) {
        guard try bringLate(upTo: word.length, of: old, to: &heir) else {
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
  private func retireForeign(_ old: Journal, _ heir: Heir) -> Bool {
    let word = old.awaitTurn()
    guard word.isSound else { return true }
    return word.length == heir.length && (word.isRetired || old.retire(at: word.length))
  }

  private func bringLate(
    upTo end: Int, of old: Journal, to heir: inout Heir
  ) throws(StorageError) -> Bool {
    guard end >= heir.length, journal !== old || take(upTo: end, of: old) else { return false }
    if heir.succession.start != nil, end > heir.length {
      try bring(scan(old, from: heir.length, to: end), to: &heir)
    }
    heir.length = end
    return true
  }

  /// Writes into the new one what is known only now that the old one is retired.
  private func complete(_ heir: Heir, of old: Journal) throws(StorageError) {
    if old.isDamaged { try keep(old) }
    let isContinued = heir.succession.start != nil && old.header.boot == disk.bootID()
    let continuing =
      isContinued
      ? JournalContinuation(id: old.header.id, length: heir.length, end: heir.draft.end) : nil
    let intent = heir.intent(of: old)
    // A power cut may have left others than the old one says.
    if old.header.boot == disk.bootID() { heir.draft.plistDraft = old.plistDraft }
    // What somebody made durable in the old one must be so in the new one.
    let synced = Int(clamping: old.syncedLength.pointee.load(ordering: .acquiring))
    if intent == nil, synced <= heir.durableLength || heir.succession.start == nil {
      try heir.draft.writeHead(announcing: nil, continuing: continuing)
    } else {
      try heir.draft.synchronize(announcing: intent, continuing: continuing)
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
  func continueWith(_ new: Enthroned) {
    follow(new.journal)
    table.applied = new.key
  }

  /// Whoever retired the journal is stopped or dead: another one is made. The lock must be held.
  /// - Returns: whether to look again.
  func completeSuccession(of old: Journal) -> Bool {
    let number = old.awaitSuccessor()
    guard number == old.danglingSuccessor else { return true }
    do throws(StorageError) {
      var reading = plistFile.read()
      switch try returnEdit(insteadOf: reading, old) {
      case .none: break
      case .changed: return true
      case .waiting(let edit): reading = edit ?? reading
      }
      var succession = try succession(of: old, on: reading)
      succession.compacts = isWorthCompacting(old)
      guard let new = try replace(old, by: succession) else { return true }
      if journal === old, succession.start != nil {
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
