import CStrata
import StrataPropertyList
import Synchronization

/// Writing the plist file, in five steps. Only 1, 3 and 5 hold the store's lock, so that sets and
/// reads go on while the file is written:
///
/// 1. the plan: what the file will hold, and up to which length of the journal;
/// 2. the draft: written beside the file, and made durable;
/// 3. the announcement in the journal: "a file of this identity holds everything up to there", made
///    durable together with the records;
/// 4. the draft takes the file's name, if the file is still the one that was read;
/// 5. a new journal takes the old one's place: its base (the plist file that its records apply to)
///    is the new file, and it holds the records that came in meanwhile.
///
/// Whichever step the process dies after, recovery finds file and journal in one of three
/// relations, and knows what each means: see `Recovery`.
extension Store {
  func checkpoint() -> CheckpointOutcome {
    do throws(StorageError) {
      switch try beginCheckpoint() {
      case .refused(let outcome):
        return outcome
      case .granted(let plan):
        defer { endCheckpoint(plan) }
        return try perform(plan)
      }
    } catch {
      if error.isOfNoFiles, process.restOthers(than: self) { return .changed }
      lock.withLock { report(.notStored, error.path, error.description) }
      return .failed
    }
  }

  /// Reports a process that holds up the checkpoint: writing the file takes milliseconds, unless
  /// the process is stopped. The lock must be held.
  private func noteWaiting() {
    let isHeldUp = flushSchedule.isHeldUp(at: strata_coarse_now())
    guard isHeldUp, let writer = journal?.writer, writer != 0 else { return }
    report(
      .waiting, paths.plist,
      "process \(writer) is writing this file and does not finish; it may be stopped: resume or "
        + "end it. What is set stays in the journal until then")
  }

  /// Nobody is waited for any more. The lock must be held.
  func noteEndOfWaiting() {
    flushSchedule.endWaiting()
    settleIssues([.waiting])
  }

  private enum Beginning {
    case granted(Plan)
    case refused(CheckpointOutcome)
  }

  private struct Plan {
    let journal: Journal
    let lockOwner: LockOwner
    let covers: Int
    // Safety: pinned in the table until the checkpoint ends.
    let entries: [UnsafeMutablePointer<Entry>]
    let base: CheckedPlist.Index?
    let format: PropertyListFormat
    let old: FileStatus?
    let keepsOld: Bool
  }

  private func beginCheckpoint() throws(StorageError) -> Beginning {
    lock.lock()
    defer { lock.unlock() }
    if phase == .resting { load() }
    guard phase == .open else { return .refused(.done) }
    if checkpointTurn == .writing { return .refused(.busy) }
    let lockOwner = try currentLockOwner()
    guard try lockOwner.beginCheckpoint(of: paths.name) else {
      noteWaiting()
      return .refused(.busy)
    }
    noteEndOfWaiting()
    journal?.beginWriting()
    // Locking: from here on no other process announces a file. Only now look at what another one
    // has announced: if it announced a file and died after an earlier look, our announcement would
    // overwrite that one, and its file would pass for an edit.
    checkpointTurn = .held
    let beginning: Beginning
    do throws(StorageError) {
      beginning = try plan(lockOwner)
    } catch {
      endTurn(lockOwner)
      throw error
    }
    if case .refused = beginning { endTurn(lockOwner) }
    return beginning
  }

  func endTurn(_ lockOwner: LockOwner) {
    checkpointTurn = .none
    journal?.endWriting()
    lockOwner.endCheckpoint(of: paths.name)
  }

  private func plan(_ lockOwner: LockOwner) throws(StorageError) -> Beginning {
    feed.drain()
    guard verify(for: .writing) else { return .refused(.changed) }
    try regainJournal()
    guard try promote() else { return .refused(.changed) }
    catchUp(isWriting: true)
    if !isPending { return .refused(.done) }
    guard canAppend, self.lockOwner === lockOwner, let journal, journal.isWritable,
      !journal.state.isRetired
    else { return .refused(.changed) }
    if let obstacle = plist.obstacle { throw obstacle }
    if plist.isUnsettled(at: strata_coarse_now()) || isUnsettled(journal) {
      return .refused(.unsettled)
    }
    try refuseToMove()
    checkpointTurn = .writing
    journal.beginWriting()
    let plan = Plan(
      journal: journal, lockOwner: lockOwner, covers: Int(table.applied),
      entries: table.pinnedEntries(), base: content.base, format: chosenFormat,
      old: plist.status, keepsOld: !plist.isSound)
    return .granted(plan)
  }

  /// Opens a journal with what this process has set for writing again, if it may not write to it.
  private func regainJournal() throws(StorageError) {
    guard isPending, let journal, !journal.isWritable else { return }
    do throws(StorageError) {
      disk.close(try disk.open(paths.journal, .readWrite))
    } catch {
      // Where it is gone, the next look brings what is known to another one.
      if error.isOfMissing { return hint.raise() }
      let remedy =
        error.code == SystemCode.denied
        ? "; give this user permission to read and write it" : ""
      throw StorageError(
        .write, paths.journal, code: error.code,
        reason: "this process could write to it before, and what it has set is pending" + remedy)
    }
    load()
  }

  /// Whether others that lost the same journal are given time to bring what they know: once its
  /// records are merged, or in the property list, nobody can tell which are older than that.
  func isUnsettled(_ journal: Journal) -> Bool {
    guard journal.replacesDestroyed else { return false }
    let now = strata_coarse_now()
    if journal.settlesAt == 0 { journal.settlesAt = now + disk.settlingTime }
    return now < journal.settlesAt
  }

  /// What a link leads to is not ours to move aside: it may be a device. The journal goes on
  /// without the plist file until somebody has repaired that.
  private func refuseToMove() throws(StorageError) {
    if !plist.isSound, try disk.resolve(paths.plist) != paths.plist {
      throw StorageError(
        .write, paths.plist,
        reason: "it is a link to something that is not a property list; remove the link")
    }
  }

  /// The format that the domain's own key `StrataFormat` names, else that of its file.
  private var chosenFormat: PropertyListFormat {
    switch content.known("StrataFormat") {
    case .string("xml"): .xml
    case .string("binary"): .binary
    default: plist.format
    }
  }

  private func endCheckpoint(_ plan: Plan) {
    lock.withLock {
      plan.journal.endWriting()
      endTurn(plan.lockOwner)
      table.unpin()
    }
  }

  /// First completes a checkpoint that died between its fourth and fifth step: a journal can
  /// announce only one file at a time.
  private func promote() throws(StorageError) -> Bool {
    guard let journal, let intent = journal.intent else { return journal != nil }
    if !journal.isWritable { return true }
    let reading = plistFile.read()
    // A file that can't be read may be the one that was announced.
    if let obstacle = reading.obstacle { throw obstacle }
    guard reading.identity == intent.identity, reading.identity != journal.header.base else {
      return true
    }
    guard case .notNeeded = try returnEdit(insteadOf: reading, journal) else { return false }
    catchUp()
    guard self.journal === journal else { return false }
    let replacement = try JournalReplacement(
      of: journal, by: try SuccessorPlan(of: journal, on: reading, names), names)
    return try succeed(journal, by: replacement, reading.status)
  }

  private func perform(_ plan: Plan) throws(StorageError) -> CheckpointOutcome {
    // The journal that announces the file must be the one that is found after a power cut.
    try directories.makeDurable(nameOf: plan.journal)
    let held = JournalKnowledge(of: plan.journal.header, upTo: plan.covers)
    let bytes = PlistFile.encode(contents(of: plan), as: plan.format, holding: held)
    if let reason = Limits.refusal(fileSize: bytes.count) {
      throw StorageError(.write, paths.plist, reason: reason)
    }
    try plistFile.sweepDrafts(plan.journal.plistDraft)
    let number = PlistDraft.Number.random()
    plan.journal.plistDraft = number
    // A file that is moved aside does not pass on its mode: that may be what made it unusable.
    let draft = try plistFile.draft(
      bytes, numbered: number, like: plan.keepsOld ? nil : plan.old, mode: paths.fileMode)
    if plan.journal.intent?.isOvertaken == true {
      // Durability: the name an edit got back, before the intent that tells of it is replaced
      try disk.synchronizeDirectory(Path.directory(of: draft.target))
    }
    guard try announce(plan, draft) else {
      try disk.remove(draft.path)
      return .changed
    }
    try plan.journal.makeDurable { () throws(StorageError) in
      try disk.synchronize(plan.journal.file)  // Durability: announcement before name
    }
    plan.journal.ownSyncedLength.max(plan.covers, ordering: .relaxed)
    // That may have taken long.
    guard try lock.withLock({ () throws(StorageError) in try isAnnounced(draft) }) else {
      try disk.remove(draft.path)
      hint.raise()
      return .changed
    }
    guard
      case .replaced(let kept) = try plistFile.commit(
        draft, replacing: plan.old, keepsOld: plan.keepsOld)
    else {
      hint.raise()
      return .changed
    }
    plan.journal.plistDraft = .none
    if let kept {
      lock.withLock {
        report(
          plan.old == nil ? .malformed : .damaged, paths.plist,
          "its previous content was kept", keptAt: kept)
      }
    }
    do throws(StorageError) {
      try replaceJournal(of: plan, on: draft)
    } catch {
      // All is in the file nonetheless. The next checkpoint makes up for it, or says why it can't.
      hint.raise()
      if error.isOfNoFiles, process.restOthers(than: self) { return .changed }
    }
    return .done
  }

  /// The fifth step.
  private func replaceJournal(of plan: Plan, on draft: PlistDraft) throws(StorageError) {
    let replacement = try JournalReplacement(
      of: plan.journal,
      by: SuccessorPlan(
        header: JournalHeader(on: draft.identity, draft.status, boot: disk.bootID()),
        start: plan.covers), names)
    lock.lock()
    defer { lock.unlock() }
    catchUp()
    // The rename changed the file's time of status change.
    let now = try disk.status(of: paths.plist)
    let status = now.flatMap { $0.isSameContent(as: draft.status) ? $0 : nil } ?? draft.status
    if try !succeed(plan.journal, by: replacement, status) { hint.raise() }
  }

  private func contents(of plan: Plan) -> [String: PropertyListValue] {
    var values = plan.base?.values() ?? [:]
    for entry in plan.entries { values[Entry.key(of: entry)] = entry.pointee.value }
    return values
  }

  /// - Returns: false if the journal is retired or has lost its name: the journal that takes its
  ///   place may not have the announcement.
  private func announce(_ plan: Plan, _ draft: PlistDraft) throws(StorageError) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard journal === plan.journal else { return false }
    plan.journal.announce(
      CheckpointIntent(identity: draft.identity, covers: plan.covers, draft: draft.number))
    // Ordering: pairs with the fence in `Journal.retire`: whoever retires the journal looks for an
    // announcement after that, so that one of the two sees what the other did.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard try isAnnounced(draft) else {
      hint.raise()
      return false
    }
    return !plan.journal.state.isRetired
  }

  /// Whether others find the announcement: in the journal that has the name, which may continue the
  /// one that it was made in. If somebody has removed that, others may have begun another one, to
  /// which the file would pass for an edit, which is newer than all that they have set there. The
  /// lock must be held.
  private func isAnnounced(_ draft: PlistDraft) throws(StorageError) -> Bool {
    catchUp()
    guard let journal, journal.intent?.identity == draft.identity else { return false }
    return try names.isHeld(by: journal)
  }

  /// Puts a journal based on the new file in `old`'s place.
  private func succeed(
    _ old: Journal, by replacement: JournalReplacement, _ status: FileStatus?
  ) throws(StorageError) -> Bool {
    guard journal === old else {
      try replacement.discard()
      return false
    }
    guard let new = try install(replacement, insteadOf: old) else { return false }
    plist.noteWritten(status)
    continueWith(new)
    try directories.makeDurable(nameOf: new.journal)
    if unsaved.isEmpty { settleIssues([.notStored, .malformed, .unreadable, .waiting]) }
    return true
  }
}

/// How a checkpoint ended.
enum CheckpointOutcome: Equatable, Sendable {
  /// The file holds what was pending when the checkpoint began.
  case done
  /// Another thread or process is writing the file; it may not know the newest changes.
  case busy
  /// Others are given time to finish what they do to the files.
  case unsettled
  /// Files changed meanwhile: try again.
  case changed
  /// `issues` says why.
  case failed
}

extension CheckedPlist.Index {
  func values() -> [String: PropertyListValue] {
    Dictionary(entries(), uniquingKeysWith: { $1 })
  }
}
