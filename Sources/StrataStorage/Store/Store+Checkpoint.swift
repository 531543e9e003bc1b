import CStrata
import StrataPropertyList
import Synchronization

/// Writing the plist file. In steps, of which only the first and the last hold a lock:
///
/// 1. what the file will hold, and up to where in the journal;
/// 2. the draft: written and made durable beside the file;
/// 3. the announcement in the journal: "a file of this identity holds everything up to there",
///    made durable together with the records;
/// 4. the draft gets the file's name, if the file is still the one that was read;
/// 5. a new journal that stands on the new file, with the records that came in meanwhile, takes the
///    old one's place.
///
/// Dead after any step, recovery finds file and journal in one of three relations and knows what
/// each means: see `Recovery`.
extension Store {
  func checkpoint() -> CheckpointOutcome {
    do throws(StorageError) {
      switch try beginCheckpoint() {
      case .refused(let outcome):
        return outcome
      case .granted(let plan):
        defer { endCheckpoint(plan) }
        return try perform(plan) ? .done : .changed
      }
    } catch {
      lock.withLock { report(.notStored, error.path, error.description) }
      return .failed
    }
  }

  private enum Beginning {
    case granted(Plan)
    case refused(CheckpointOutcome)
  }

  private struct Plan {
    let journal: Journal
    let holder: Holder
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
    guard isLoaded else { return .refused(.done) }
    if isCheckpointing { return .refused(.busy) }
    let holder = try currentHolder()
    guard try holder.beginCheckpoint(of: paths.name) else { return .refused(.busy) }
    // From here on nobody else announces a file. What another process announced before is looked
    // at only now: had it died after an earlier look, our announcement would wipe out its own, and
    // its file would pass for an edit.
    let beginning: Beginning
    do throws(StorageError) {
      beginning = try plan(holder)
    } catch {
      holder.endCheckpoint(of: paths.name)
      throw error
    }
    if case .refused = beginning { holder.endCheckpoint(of: paths.name) }
    return beginning
  }

  private func plan(_ holder: Holder) throws(StorageError) -> Beginning {
    feed.drain()
    guard verify(becauseOf: .writing), try promote() else { return .refused(.changed) }
    catchUp()
    if !isPending { return .refused(.done) }
    guard canAppend, self.holder === holder, let journal else { return .refused(.changed) }
    // What can't be used may be an edit that is being written: it gets the time to become one.
    if !plistIsSound, strata_coarse_now() < unsoundSince + Self.unsoundTimeMin {
      return .refused(.busy)
    }
    try refuseToMove()
    isCheckpointing = true
    let plan = Plan(
      journal: journal, holder: holder, covers: Journal.length(table.applied),
      entries: table.pinnedEntries(), base: base, format: chosenFormat, old: plist,
      keepsOld: !plistIsSound)
    return .granted(plan)
  }

  private static let unsoundTimeMin: Int64 = 1_000_000_000

  /// What lies behind a link is not ours to put aside: it may be a device. The journal goes on
  /// without the plist file until somebody has mended that.
  private func refuseToMove() throws(StorageError) {
    if !plistIsSound, try disk.resolve(paths.plist) != paths.plist {
      throw StorageError(
        .write, paths.plist, reason: "it is a link to what is no property list; remove the link")
    }
  }

  /// What the domain's own `StrataFormat` says, else what its file had.
  private var chosenFormat: PropertyListFormat {
    switch known("StrataFormat") {
    case .string("xml"): .xml
    case .string("binary"): .binary
    default: format
    }
  }

  private func endCheckpoint(_ plan: Plan) {
    plan.holder.endCheckpoint(of: paths.name)
    lock.withLock {
      table.unpin()
      isCheckpointing = false
    }
  }

  /// A checkpoint that died between its fourth and fifth step is completed first: a journal can
  /// announce one file at a time.
  private func promote() throws(StorageError) -> Bool {
    guard let journal, let intent = journal.intent else { return journal != nil }
    let reading = plistFile.read()
    guard reading.identity == intent.identity, reading.identity != journal.header.base else {
      return true
    }
    catchUp()
    return try succeed(journal, on: reading.identity, reading.status, from: intent.covers)
  }

  private func perform(_ plan: Plan) throws(StorageError) -> Bool {
    let bytes = PlistFile.encode(contents(of: plan), as: plan.format)
    // The mode of what is put aside may be what made it useless.
    let draft = try plistFile.draft(
      bytes, like: plan.keepsOld ? nil : plan.old, mode: paths.fileMode)
    guard try announce(plan, draft) else {
      try disk.remove(draft.path)
      return false
    }
    try disk.synchronize(plan.journal.file)  // Durability: announcement before name
    let kept = plan.keepsOld ? draft.target + ".damaged-" + ProcessEvents.timestamp() : nil
    guard try plistFile.commit(draft, replacing: plan.old, keepingOldAt: kept) == .replaced else {
      suspicion.raise()
      return false
    }
    lock.lock()
    defer { lock.unlock() }
    if let kept {
      report(
        plan.old == nil ? .malformed : .damaged, paths.plist,
        "what it held before was kept", keptAt: kept)
    }
    catchUp()
    // The rename gave the file another time of status change.
    let now = try disk.status(of: paths.plist)
    let status = now.flatMap { $0.isSameContent(as: draft.status) ? $0 : nil } ?? draft.status
    return try succeed(plan.journal, on: draft.identity, status, from: plan.covers)
  }

  private func contents(of plan: Plan) -> [String: PropertyListValue] {
    var values = plan.base?.values() ?? [:]
    for entry in plan.entries { values[Entry.key(of: entry)] = entry.pointee.value }
    return values
  }

  private func announce(_ plan: Plan, _ draft: PlistFile.Draft) throws(StorageError) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard journal === plan.journal else { return false }
    let shared = try lockShared(plan.journal)
    defer { shared.unlock() }
    guard !plan.journal.isRetired else { return false }
    plan.journal.announce(CheckpointIntent(identity: draft.identity, covers: plan.covers))
    return true
  }

  /// Puts a journal in `old`'s place that stands on the new file.
  private func succeed(
    _ old: Journal, on identity: PlistIdentity, _ status: FileStatus?, from covers: Int
  ) throws(StorageError) -> Bool {
    guard journal === old else { return false }
    guard let new = try replace(old, on: identity, status, from: covers) else { return false }
    plist = status
    plistIsSound = true
    follow(new)
    table.applied = Journal.word(length: new.header.carriedEnd)
    try link(new)
    if unstored.isEmpty { settleIssues([.notStored, .malformed, .unreadable]) }
    return true
  }

  private func replace(
    _ old: Journal, on identity: PlistIdentity, _ status: FileStatus?, from covers: Int
  ) throws(StorageError) -> Journal? {
    let shared = try lockShared(old)
    defer { shared.unlock() }
    let end = old.length
    guard !old.isRetired, end == Journal.length(table.applied) else { return nil }
    var header = JournalHeader(on: identity, status, boot: disk.bootID())
    header.continuedID = old.header.id
    header.continuedLength = end
    let late = scan(old, from: covers, to: end)
    return try replace(old, by: header, carrying: late.changeSets)
  }
}

/// How a checkpoint went.
enum CheckpointOutcome: Hashable, Sendable {
  /// The file holds what was pending when the checkpoint began.
  case done
  /// Another thread or process is writing the file; it may not know the newest changes.
  case busy
  /// Files changed meanwhile: it is to be tried again.
  case changed
  /// `issues` says why.
  case failed
}

extension CheckedPlist.Index {
  func values() -> [String: PropertyListValue] {
    Dictionary(entries(), uniquingKeysWith: { $1 })
  }
}
