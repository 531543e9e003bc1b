import CStrata
import Synchronization
import StrataPropertyList

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
    retireNameless(lost)
    var reading = PlistReading.absent
    let next = Recovery.afterLoss(isWritable: lost.isWritable) {
      openJournal(making: false).journal.map { lost.isContinued(by: $0) } ?? false
    } isEdited: {
      report(.damaged, paths.journal, text)
      reading = plistFile.read()
      let standing = Recovery.standing(of: reading, lost.facts)
      return standing == .edited
    } hasOther: {
      directories.make(isReading: false)
      return openJournal(making: true).journal?.isWritable == true
    }
    switch next {
    case .reload, .reloadEdit: load()
    case .bringOver: bringOver(lost, text, on: bases(of: lost, reading))
    case .wait: goOn(without: lost, text)
    }
  }

  /// The plist files that are no newer than what is known: the one that is there, those that the
  /// lost journal tells of, and one that can't be read, of which nobody knows.
  private func bases(of lost: Journal, _ reading: PlistReading) -> [PlistIdentity] {
    [.unknown, reading.identity, lost.header.base] + (lost.intent.map { [$0.identity] } ?? [])
  }

  /// Whether a plist file that was not known before is an edit: nobody means to write a damaged
  /// one.
  private func isEdit(_ base: PlistIdentity) -> Bool {
    let now = plistFile.read()
    return now.isSound || now.identity != base
  }

  private func bringOver(_ lost: Journal, _ text: String, on bases: [PlistIdentity]) {
    let known = content.all()
    load(making: true)
    if storeAgain(known, of: lost, on: bases) {
      // Tells the others that shared the lost journal to which lineage (journals that continue one
      // another) its values went: they know no more than is stored there now.
      // Ordering: releases what was stored there.
      lost.broughtTo.pointee.store(journal?.header.lineage ?? 0, ordering: .releasing)
    } else {
      content.replace(with: known)
      goOn(without: lost, text)
    }
  }

  private func goOn(without lost: Journal, _ text: String) {
    follow(.open(lost))
    table.applied = JournalWord.key(length: lost.length)
    appending = .lost(text)
    flushSchedule.retryLater(at: strata_coarse_now())
    if mustSchedule() { scheduleWithLock() }
  }

  /// Retires a journal that lost its name and nothing else: all who had it still share it. So
  /// nobody appends to it from now on, and what was appended is known here, and to everyone who
  /// looks.
  private func retireNameless(_ lost: Journal) {
    do throws(StorageError) {
      let now = try disk.status(of: paths.journal)
      guard lost.isWritable, now.map({ !$0.isSameFile(as: lost.status) }) ?? true else { return }
    } catch {
      return report(.notStored, paths.journal, error.description)
    }
    while true {
      let word = lost.awaitTurn()
      guard word.isSound, !lost.mapping.isLost, apply(upTo: word.length, of: lost) else { return }
      if word.isRetired || lost.retire(at: word.length) { return }
    }
  }

  /// Stores again what was known before, except for keys that others have stored meanwhile: their
  /// values are at least as new.
  /// - Parameters:
  ///   - lost: the journal that held what is known.
  ///   - bases: the plist files that are no newer than what is known.
  /// - Returns: false if it can't be stored for now.
  private func storeAgain(
    _ known: [String: PropertyListValue], of lost: Journal, on bases: [PlistIdentity]
  ) -> Bool {
    for _ in 0..<Self.triesMax {
      guard let journal = journalForAppending() else { break }
      // Somebody has brought it over already, or has written the plist file since.
      let base = journal.header.base
      if lost.isContinued(by: journal) || !bases.contains(base) && isEdit(base) { return true }
      let end = Int(truncatingIfNeeded: table.applied)
      let stored = scan(journal, from: JournalLayout.recordsStart, to: end).changeSets
      let newer = stored[carriedCount(of: lost, to: stored)...]
      if newer.contains(where: \.replacesAll) { return true }
      let missing = missing(of: known, butFor: Set(newer.flatMap(\.changes).map(\.key)))
      if missing.isEmpty { return true }
      let size = RecordWriter.size(of: missing)
      guard makeRoom(for: size, at: end, in: journal) else { break }
      // Succeeds only if nobody appended since the look above, whose values this would override.
      guard journal.reserve(JournalRecord.size(payload: size), at: end) else { continue }
      if commit(missing, insteadOf: size, to: journal) == true {
        if journal.mapping.isLost { break }
        if finishWriting(journal) { scheduleWithLock() }
        return true
      }
    }
    return false
  }

  /// How many records whoever found the lost journal damaged has carried over from it. The new
  /// journal names the lost one by its salt, the lower half of its id.
  private func carriedCount(of lost: Journal, to stored: [ChangeSet]) -> Int {
    guard let header = journal?.header, header.mendedSalt == lost.header.salt else { return 0 }
    let end = lost.state.isSound ? lost.length : lost.knownSize
    let scan = lost.scan(
      from: JournalLayout.recordsStart, to: end, ofAtMost: lost.size(upTo: end), unsound: .damage)
    let carried = stored.prefix(Int(header.mendedCount))
    return zip(carried, scan.changeSets).prefix { $0 == $1 }.count
  }

  private func missing(
    of known: [String: PropertyListValue], butFor newer: Set<String>
  ) -> ChangeSet {
    let now = content.all()
    let changed = known.filter { now[$0.key] != $0.value }.map {
      Change(key: $0.key, value: $0.value)
    }
    let gone = now.keys.filter { known[$0] == nil }.map { Change(key: $0, value: nil) }
    return ChangeSet((changed + gone).filter { !newer.contains($0.key) })
  }
}
