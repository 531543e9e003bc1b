import Synchronization

/// Puts a new journal in the place of another one: after a checkpoint, an edit, or a restart of the
/// machine.
///
/// 1. The new one is made, and made durable, in a file of its own (`init`).
/// 2. The old one is *retired*: nobody appends to it any more, so it is known what it holds.
/// 3. The old one names its successor, once: only one of all that were made can be that.
/// 4. The new one gets the domain's name.
///
/// No step waits for anybody. If a process stops after the second, writers wait for it for a
/// moment, and then make a new journal themselves; until the third, readers know all there is.
/// Whoever finds the third done does the fourth before anything else.
final class JournalReplacement {
  private let old: Journal
  private let plan: SuccessorPlan
  private let names: JournalNames
  private let draft: JournalDraft
  /// Up to where it has the old one's records, and up to where they are durable here.
  private var length: Int
  private let durableLength: Int
  private var carried = CarriedRecords()
  /// Where the records of these change sets end in the old one.
  private var ends: [Int] = []
  /// Damaged records of the old one that have not been reported yet.
  private var damagedCount = 0
  /// What a person should know about the old one.
  private(set) var issues: [StorageIssue] = []

  private var disk: any FileSystem { names.disk }
  /// Whether the word of the old one says what it holds: after a restart of the machine, the word
  /// on the disk may be older than the records.
  private var isOfThisBoot: Bool { old.header.boot == disk.bootID() }

  /// The first step.
  ///
  /// Locking: none is needed: committed records never change, and nobody else knows the new file.
  init(of old: Journal, by plan: SuccessorPlan, _ names: JournalNames) throws(StorageError) {
    precondition(old.isWritable, "to retire a journal is to write to it")
    self.old = old
    self.plan = plan
    self.names = names
    length = old.length
    durableLength = length
    let size = try names.disk.status(of: old.file).size
    var header = plan.header
    header.lineage = old.header.lineage
    header.generation = old.header.generation &+ 1
    if plan.keepsRecords {
      header.mendedSalt = old.header.mendedSalt
      header.mendedCount = old.header.mendedCount
      header.mendedEnd = old.header.mendedEnd
    }
    draft = try names.draft(header, continuing: old)
    do throws(StorageError) {
      if let start = plan.start {
        let end = isOfThisBoot ? length : size
        let scan = old.scan(from: start, to: end, ofAtMost: size, unsound: unsound)
        if plan.compacts { try appendMerged(scan) } else { try append(scan) }
      }
      try draft.synchronize(announcing: intent)
      try appendAhead()
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
  }

  /// Removes the new one, which is not needed after all.
  func discard() throws(StorageError) { try draft.discard() }

  /// How the other steps went.
  enum Outcome {
    case installed(InstalledJournal)
    /// Another process was faster, or it is not known what the old one holds.
    case late
    /// The name belongs to a journal of others, who don't know the old one.
    case nameless
  }

  /// The other steps.
  ///
  /// Locking: the store's lock is held.
  /// - Parameter follow: takes in what was committed up to this length, if the store follows the
  ///   old journal; false if it can't.
  func install(
    _ follow: (Int) -> Bool
  ) throws(StorageError) -> Outcome {
    reportDamage()
    do throws(StorageError) {
      let isRetired = try retire(follow) && !(isOfThisBoot && old.isDestroyed)
      reportDamage()
      guard isRetired else {
        try discard()
        return .late
      }
      try complete()
      guard try names.isHeld(by: old) else {
        try discard()
        return .nameless
      }
      guard old.publish(draft.number, insteadOf: old.danglingSuccessor) else {
        try discard()
        return .late
      }
    } catch {
      reportDamage()
      try discard()
      throw error
    }
    // From here on the old one has been succeeded, whatever fails.
    let new = try draft.journal(named: names.paths.journal)
    try names.give(to: draft.path)
    try JournalDraft.sweep(
      names.paths.draftStem(continuing: old.header.id), below: draft.number, on: disk)
    if old.status.nameCount > 1 {
      try JournalDraft.sweep(names.paths.draftStem(continuing: nil), of: old.status, on: disk)
    }
    return .installed(
      InstalledJournal(
        journal: new, carried: carried, key: JournalWord.key(length: draft.end)))
  }

  // -- What is carried over

  private var unsound: JournalScan.Unsound {
    Recovery.unsound(in: old.header.boot, now: disk.bootID())
  }

  private func append(_ scan: JournalScan) throws(StorageError) {
    damagedCount += scan.damagedCount
    let outdatedEnd = outdatedEnd
    try draft.append(scan, except: outdatedEnd)
    ends += scan.ends.filter { $0 != outdatedEnd }
    carried.add(scan, except: outdatedEnd)
  }

  /// Carries over what has come in meanwhile, until little is left: others may set millions of
  /// values, and who has the turn keeps them waiting.
  ///
  /// Locking: as for the first step.
  private func appendAhead() throws(StorageError) {
    guard plan.start != nil, isOfThisBoot else { return }
    for _ in 0..<Self.roundsMax {
      let word = old.state
      guard word.isSound, word.length - length > Self.lateSizeMax else { return }
      // What `old` knows of its size is the lock's. If it was cut off, `retire` finds that out.
      let size = try disk.status(of: old.file).size
      guard size >= word.length, !old.mapping.isLost else { return }
      try append(upTo: word.length, ofAtMost: size)
    }
  }

  private static let roundsMax = 8
  private static let lateSizeMax = 1 << 16

  private func append(upTo end: Int, ofAtMost size: Int) throws(StorageError) {
    try append(old.scan(from: length, to: end, ofAtMost: size, unsound: unsound))
    length = end
  }

  /// Carries over only the last value of each key. A checkpoint that was announced covers none of
  /// these records: all of them are added to its file once more, which changes nothing.
  private func appendMerged(_ scan: JournalScan) throws(StorageError) {
    damagedCount += scan.damagedCount
    let formerEnd = old.header.former?.end ?? 0
    let formerCount = scan.ends.prefix { $0 <= formerEnd }.count
    try appendMerged(scan, 0..<formerCount, endingAt: formerEnd)
    try appendMerged(scan, formerCount..<scan.count, endingAt: .max)
  }

  private func appendMerged(
    _ scan: JournalScan, _ records: Range<Int>, endingAt end: Int
  ) throws(StorageError) {
    let parts = MergedEdits(scan, records, partsOfAtMost: Journal.changeSetSizeMax).parts
    try draft.append(stored: parts)
    carried.add(merged: parts)
    ends += parts.map { _ in end }
  }

  private func reportDamage() {
    guard damagedCount > 0 else { return }
    old.isDamaged = true
    issues.append(.damaged(old, count: damagedCount))
    damagedCount = 0
  }

  /// Which records are older than a base that can't be read: all that were set while it could be.
  private var former: FormerRecords? {
    guard plan.header.base == .unknown else { return nil }
    if old.header.base != .unknown { return FormerRecords(base: old.header.base, end: draft.end) }
    return old.header.former.map { FormerRecords(base: $0.base, end: end(of: $0.end)) }
  }

  /// What was brought to the old one from a lost one, and is here, too.
  private var rescue: JournalRescue? {
    guard plan.keepsRecords, old.replacesDestroyed, let rescue = old.rescue else { return nil }
    if rescue.end == 0 || rescue.end == outdatedEnd {
      return JournalRescue(knowledge: rescue.knowledge, end: 0)
    }
    // Its record may never have come to count: no record ends where the first one begins.
    let isThere = ends.contains(rescue.end)
    let end = isThere ? end(of: rescue.end) : JournalLayout.recordsStart
    return JournalRescue(knowledge: rescue.knowledge, end: end)
  }

  /// Where the record ends that is not carried over; it may come in at any moment until the old one
  /// is retired.
  private var outdatedEnd: Int? { old.outdatedEnd(beside: plan.held) }

  /// Where the records end here that end there in the old one.
  private func end(of old: Int) -> Int {
    let count = ends.prefix { $0 <= old }.count
    return count == 0 ? JournalLayout.recordsStart : draft.ends[count - 1]
  }

  /// The intent (what the old one says of an announced checkpoint), as the new one is to say it.
  ///
  /// It says no more of a checkpoint whose file it is based on: that took place. What lies at its
  /// draft's path then is the file before it, and would pass for an edit later.
  private var intent: CheckpointIntent? {
    guard plan.announcement != .over, let intent = old.intent,
      intent.identity != plan.header.base
    else { return nil }
    var covers = 0
    if plan.announcement == .pending, !intent.isOvertaken {
      covers = end(of: intent.covers)
    }
    return CheckpointIntent(identity: intent.identity, covers: covers, draft: intent.draft)
  }

  // -- Retiring the old one

  /// Retires the old one, and carries over what came in since the first step.
  /// - Returns: false if it is not known what the old one holds.
  private func retire(_ follow: (Int) -> Bool) throws(StorageError) -> Bool {
    try old.leaveIdlenessForGood()  // here, where nothing is reserved yet
    if !isOfThisBoot { return retireForeign() }
    try appendAhead()
    for _ in 0..<1_000 {
      let word = old.awaitTurn()
      guard word.isSound, !old.mapping.isLost else { return false }
      // The process that retired it may have stopped.
      if word.isRetired { return try appendLate(upTo: word.length, follow) }
      // At the end of the file nothing is reserved: whoever waited for that would touch bytes that
      // the file does not have.
      let turn = old.isWhole(upTo: word.length + Self.turnSize) ? Self.turnSize : 0
      guard turn == 0 || old.reserve(turn, at: word.length) else { continue }
      do throws(StorageError) {
        guard try appendLate(upTo: word.length, follow) else {
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

  /// The bytes to reserve only to keep all others from appending.
  private static let turnSize = 8

  /// A journal of another boot may still be in use, by processes that know another boot id than
  /// this one does.
  private func retireForeign() -> Bool {
    let word = old.awaitTurn()
    guard word.isSound else { return true }
    return word.length == length && (word.isRetired || old.retire(at: word.length))
  }

  private func appendLate(
    upTo end: Int, _ follow: (Int) -> Bool
  ) throws(StorageError) -> Bool {
    guard end >= length, follow(end) else { return false }
    if plan.start != nil, end > length {
      try append(upTo: end, ofAtMost: old.size(upTo: end))
    }
    length = end
    return true
  }

  // -- Completing the new one

  /// Writes into the new one what is known only now that the old one is retired.
  private func complete() throws(StorageError) {
    if old.isDamaged { try keepOld() }
    draft.note(former)
    draft.rescue = rescue
    draft.onceMade = isOfThisBoot ? old.onceMade : old.onceMadeBeforeRestart
    // What is in a file that could not be read, or that a checkpoint of a lost journal has named,
    // is news to all who know the old one.
    let isKnown =
      plan.held == nil && (old.header.base != .unknown || plan.header.base == .unknown)
    // Who has read a record before it was damaged knows more than goes on here.
    let continuing =
      plan.start != nil && isOfThisBoot && isKnown && !old.isDamaged
      ? JournalContinuation(id: old.header.id, length: length, end: draft.end) : nil
    // Ordering: pairs with the fences in `Store.announce` and `Store.synchronize`, also where
    // another process retired the old one.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let intent = self.intent
    // After a restart neither is known: a power cut may have brought back other drafts than the old
    // one names, and a backup may have been restored into new directories.
    if isOfThisBoot {
      draft.plistDraft = old.plistDraft
      draft.writer = old.writer
      draft.areDirectoriesDurable = old.areDirectoriesDurable
    }
    // What somebody made durable in the old one must be durable here, too.
    let synced = Int(clamping: old.syncedLength.pointee.load(ordering: .acquiring))
    if intent == nil, synced <= durableLength || plan.start == nil {
      try draft.writeHead(announcing: nil, continuing: continuing)
    } else {
      try draft.synchronize(announcing: intent, continuing: continuing)
    }
  }

  /// Keeps a copy of a damaged journal, which is about to lose its name.
  private func keepOld() throws(StorageError) {
    let size = try disk.status(of: old.file).size
    let bytes = old.bytes(0..<min(size, disk.journalSizeMax))
    let kept = try DatedName.find(besides: names.paths.journal) { path throws(StorageError) in
      let file = try disk.open(path, .create(mode: names.paths.fileMode))
      defer { disk.close(file) }
      try disk.write(bytes, to: file, at: 0)
      try disk.synchronize(file)  // Durability: it is all that is left
    }
    issues.append(
      StorageIssue(.damaged, names.paths.journal, "its content was kept", keptAt: kept))
  }
}

/// A journal that took another one's place, and what it held at that moment. Others may have
/// appended to it since.
struct InstalledJournal {
  let journal: Journal
  let carried: CarriedRecords
  /// The value of the table's `applied` once it holds these records.
  let key: UInt64
}

extension StorageIssue {
  static func damaged(_ journal: Journal, count: Int) -> StorageIssue {
    StorageIssue(.damaged, journal.path, "\(count) of its records were corrupt and are lost")
  }
}
