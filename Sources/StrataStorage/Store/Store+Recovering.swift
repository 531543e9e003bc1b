import CStrata
import StrataPropertyList
import Synchronization

/// Recovering from the loss of a journal in use. The lock must be held.
extension Store {
  /// Goes on after the journal was cut off, overwritten or removed while it was in use. What this
  /// process knows of its records goes into the journal that is in its place, or into a new one.
  ///
  /// While there is none that can be appended to, what is known stays as it is, and is brought over
  /// later: if it were simply set again then, it would be newer than what others set meanwhile.
  func recover(from lost: Journal, _ text: String) {
    // If the journal in its place is lost at once, too, as on a full disk that copies what is
    // overwritten, nothing can be stored for now.
    if isRecovering {
      appending.refuse()
      return
    }
    isRecovering = true
    defer { isRecovering = false }
    lockOwner = nil  // the directory may be another one by now, where others wait to be woken
    if let loss { table.applied = JournalWord.key(length: loss.known) }
    let isRetired = retireNameless(lost)
    let known = Int(truncatingIfNeeded: table.applied)
    let loss = Loss(text: text, known: known)
    var reading = PlistReading.absent
    let next = Recovery.afterLoss(mayHaveSet: lost.isWritable || hasAppended) {
      openJournal(making: false).journal.map { lost.isContinued(by: $0) } ?? false
    } isEdited: {
      report(.damaged, paths.journal, loss.text)
      reading = plistFile.read()
      return Recovery.isEdited(reading, sinceLossOf: lost.facts)
    } hasOther: {
      directories.make(isReading: false)
      return openJournal(making: true).journal?.isWritable == true
    }
    switch next {
    case .open:
      // It may be lost, too, before it is read.
      isRecovering = false
      load()
    case .reload: load()
    case .bringOver:
      guard bringOver(lost, loss.known, on: bases(of: lost, reading)) else {
        return goOn(without: lost, loss)
      }
      guard isRetired else { return }
      // Tells the others that share it to which lineage (journals that continue one another) its
      // values went: they know no more than is stored there now.
      // Ordering: releases what was stored there.
      lost.broughtTo.pointee.store(journal?.header.lineage ?? 0, ordering: .releasing)
    case .wait: goOn(without: lost, loss)
    }
  }

  /// The journal's file was cut off: what was written last is lost, and must be written again.
  func recoverCutOff() {
    if let journal { recover(from: journal, "it was truncated while in use") }
  }

  /// The journal was overwritten just now. Others may have seen what was written last, and have set
  /// the key since: it is brought over with all that is known, and not written again.
  func recoverOverwritten(_ journal: Journal) {
    recover(from: journal, "it was overwritten while in use")
  }

  /// The plist files that are no newer than what is known: the one that is there, those that the
  /// lost journal tells of, and one that can't be read, of which nobody knows.
  private func bases(of lost: Journal, _ reading: PlistReading) -> [PlistIdentity] {
    [.unknown, reading.identity, lost.header.base] + (lost.intent.map { [$0.identity] } ?? [])
  }

  /// What a plist file is to what was known when a journal was lost.
  private enum BaseStanding {
    case older
    /// It holds all of that, and nothing that is newer.
    case holdsAll
    /// An edit: nobody means to write a damaged file.
    case newer
  }

  private func standing(
    of base: PlistIdentity, to known: JournalKnowledge, on bases: [PlistIdentity]
  ) -> BaseStanding {
    let now = plistFile.read()
    let held = now.identity == base ? now.held : nil
    if let held, held.includes(known) { return .holdsAll }
    if bases.contains(base) || held?.isOfSame(known) == true { return .older }
    return now.isSound || now.identity != base ? .newer : .older
  }

  /// - Returns: false if it can't be stored for now.
  private func bringOver(_ lost: Journal, _ known: Int, on bases: [PlistIdentity]) -> Bool {
    let (changes, remembered) = (content.changes(), content.remembered)
    // Until both are put together, what is stored there may be older than what was read here.
    return table.hidden {
      bringing = JournalKnowledge(of: lost.header, upTo: known)
      load(making: true)
      bringing = nil
      if storeAgain(changes, of: lost, upTo: known, on: bases) { return true }
      content.replace(with: changes, remembering: remembered)
      return false
    }
  }

  private func goOn(without lost: Journal, _ loss: Loss) {
    follow(.open(lost))
    table.applied = JournalWord.key(length: lost.length)
    appending = .lost(loss)
    flushSchedule.retryLater(at: strata_coarse_now())
    if mustSchedule() { scheduleWithLock() }
  }

  /// Retires a journal that lost its name and nothing else: all who had it still share it. So
  /// nobody appends to it from now on, and what was appended is known here, and to everyone who
  /// looks.
  /// - Returns: whether that is so.
  private func retireNameless(_ lost: Journal) -> Bool {
    do throws(StorageError) {
      let now = try disk.status(of: paths.journal)
      guard lost.isWritable, now.map({ !$0.isSameFile(as: lost.status) }) ?? true else {
        return false
      }
      try lost.leaveIdleness()
    } catch {
      report(.notStored, paths.journal, error.description)
      return false
    }
    while true {
      let word = lost.awaitTurn()
      if isOutdated(upTo: word.length) { unsaved.dropInherited() }
      guard word.isSound, !lost.mapping.isLost, apply(upTo: word.length, of: lost) else {
        return false
      }
      if word.isRetired || lost.retire(at: word.length) { return true }
    }
  }

  /// Stores again what was known before, except for keys that others have stored meanwhile: their
  /// values are at least as new.
  /// - Parameters:
  ///   - known: all that was known.
  ///   - lost: the journal that held it.
  ///   - length: up to where this process had read that.
  ///   - bases: the plist files that are no newer than what is known.
  /// - Returns: false if it can't be stored for now.
  private func storeAgain(
    _ known: ChangeSet, of lost: Journal, upTo length: Int, on bases: [PlistIdentity]
  ) -> Bool {
    let knowledge = JournalKnowledge(of: lost.header, upTo: length)
    var judged: PlistIdentity?
    var standing = BaseStanding.older
    for _ in 0..<Self.triesMax {
      guard let journal = journalForAppending(), !journal.mapping.isLost else { break }
      // Somebody has brought it over already, or has written the plist file since.
      let base = journal.header.base
      if lost.isContinued(by: journal) { return true }
      // Each file once: a look at it gives others the time to append.
      if base != judged { standing = self.standing(of: base, to: knowledge, on: bases) }
      judged = base
      let isInBase = standing == .holdsAll
      // Others that have lost it may know more, and are given time only where somebody noted that.
      if standing == .newer || isInBase && journal.replacesDestroyed { return true }
      let end = Int(truncatingIfNeeded: table.applied)
      guard let scan = scan(journal, from: JournalLayout.recordsStart, to: end) else { break }
      let stored = Stored(in: journal, scan, insteadOf: lost, length)
      if stored.holdsAll { return true }
      let missing = isInBase ? ChangeSet([]) : stored.missing(of: known, beside: content)
      let size = RecordWriter.size(of: missing)
      guard makeRoom(for: size, at: end, in: journal) else { break }
      // Succeeds only if nobody appended since the look above, whose values this would override.
      let room = JournalRecord.size(payload: size)
      guard journal.reserve(room, at: end) else { continue }
      if journal.rescue != stored.rescue {
        journal.release(room, at: end)
        continue
      }
      let rescueEnd = missing.isEmpty ? 0 : end + room
      journal.note(JournalRescue(knowledge: knowledge, end: rescueEnd))
      if missing.isEmpty {
        journal.release(room, at: end)
        return true
      }
      if commit(missing, insteadOf: size, to: journal) == true {
        if journal.isDestroyed { break }
        if finishWriting(journal) { scheduleWithLock() }
        return true
      }
    }
    return false
  }
}

/// What the journal that is in a lost one's place says by now.
private struct Stored {
  /// Who has brought over last what it knew, as far as the journal tells.
  let rescue: JournalRescue?
  /// Whether nothing of the lost one can be missing.
  private(set) var holdsAll = false
  /// The keys that were set since, or later than this process has read the lost one.
  private var newer: Set<String> = []
  /// The keys that another process has brought over, which had read less of the lost one.
  private var rescued: Set<String> = []

  init(in journal: Journal, _ scan: JournalScan, insteadOf lost: Journal, _ known: Int) {
    rescue = journal.rescue
    let knowledge = JournalKnowledge(of: lost.header, upTo: known)
    if let rescue, rescue.knowledge.includes(knowledge) {
      holdsAll = rescue.end == 0 || scan.ends.contains(rescue.end)
    }
    let carriedCount = Self.carriedCount(of: lost, known, to: journal, scan)
    for (index, end) in scan.ends.enumerated().dropFirst(carriedCount) {
      let changes = scan.changes(index)
      let keys = changes.changes.map(\.key)
      if let rescue, rescue.end == end, knowledge.includes(rescue.knowledge) {
        rescued = Set(keys)
        newer.subtract(keys)
      } else {
        newer.formUnion(keys)
        if changes.replacesAll { holdsAll = true }
      }
    }
  }

  /// How many of its first records are known here: whoever found the lost journal damaged has
  /// carried them over from it. The new journal names the lost one by its salt, the lower half of
  /// its id.
  private static func carriedCount(
    of lost: Journal, _ known: Int, to journal: Journal, _ stored: JournalScan
  ) -> Int {
    let header = journal.header
    guard header.mendedSalt == lost.header.salt else { return 0 }
    if header.mendedEnd <= known { return Int(header.mendedCount) }
    let end = min(known, lost.knownSize)
    let scan = lost.scan(
      from: JournalLayout.recordsStart, to: end, ofAtMost: lost.size(upTo: end), unsound: .damage)
    let count = min(Int(header.mendedCount), stored.count, scan.count)
    return (0..<count).first { stored.changes($0) != scan.changes($0) } ?? count
  }

  /// What is to be stored again, even if it is there: a file of the lost journal that holds less
  /// may yet get the name. What another process has brought over goes with it: whoever comes next
  /// knows by this record alone what is older.
  func missing(of known: ChangeSet, beside now: DomainValues) -> ChangeSet {
    var values = Dictionary(known.changes.map { ($0.key, $0.value) }) { $1 }
    if known.replacesAll {
      for key in now.all().keys where values[key] == nil { values[key] = .some(nil) }
    }
    return ChangeSet(
      rescued.union(values.keys).subtracting(newer).map {
        Change(key: $0, value: values[$0] ?? now.known($0))
      })
  }
}
