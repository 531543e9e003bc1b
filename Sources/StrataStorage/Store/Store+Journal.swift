import Synchronization

/// Opening, making and replacing the journal. The lock must be held.
extension Store {
  /// The journal at its path; nil when there is none, and none is to be made or can be had.
  func openJournal(making: Bool) -> Journal? {
    isJournalUnknown = false
    if let placeObstacle {
      if making { report(.notStored, paths.plist, placeObstacle) }
      return nil
    }
    do {
      for _ in 0..<Self.makingLooksMax {
        if let journal = try existingJournal() {
          settleIssues([.unreadable], about: paths.journal)
          return journal
        }
        guard making else { return nil }
        try makeJournal()
      }
      report(.notStored, paths.journal, "another process is making it and does not finish")
    } catch {
      if isWritingRefused(error) {
        if error.code == SystemCode.denied, Path.isSame(error.path, paths.journal) {
          report(
            .unreadable, paths.journal,
            error.description + "; what others set last may be missing, and what is set lives in "
              + "this process only; give this user the permission to read and write it")
        }
        return nil
      }
      isJournalUnknown = true
      let kind = error.operation == .decode ? StorageIssue.Kind.newerFormat : .notStored
      report(kind, error.path.isEmpty ? paths.journal : error.path, error.description)
    }
    return nil
  }

  /// Why processes can't share anything, where that has to be in a place on this machine.
  var placeObstacle: String? {
    guard let place = paths.place else { return nil }
    let reason: String
    do throws(StorageError) {
      switch try disk.standing(of: place, making: false) {
      case .sound: return nil
      case .missing: reason = "only user \(place.owner) can make \(place.path), by a first set"
      case .unsound:
        reason =
          "\(place.path) is not a directory of user \(place.owner) that nobody else may write to; "
          + "remove it"
      }
    } catch {
      reason = error.description
    }
    return "it is in a file system of type \(place.kind), so that what programs share has to be on "
      + "this machine: " + reason
  }

  /// A place that is someone else's is no trouble: its journal, if any, is read.
  private func isWritingRefused(_ error: StorageError) -> Bool {
    [
      SystemCode.denied, SystemCode.readOnly, SystemCode.notPermitted, SystemCode.noSuchFile,
      SystemCode.notDirectory, SystemCode.nameTooLong,
    ].contains(error.code)
  }

  /// The journal at the domain's path or, where that was retired, the one that took its place.
  private func existingJournal() throws(StorageError) -> Journal? {
    // Kept, so that its number on the disk is given to no other file meanwhile.
    var last: Journal?
    for _ in 0..<Self.makingLooksMax {
      let journal: Journal
      switch try look(at: paths.journal) {
      case .nothing: return nil
      case .replaced: continue
      case .journal(let found): journal = found
      }
      let number = journal.successor.pointee.load(ordering: .acquiring)
      let isNamed = last.map { $0.status.isSameFile(as: journal.status) } ?? false
      guard journal.state.isRetired, number != 0 else { return journal }
      if isNamed {
        journal.danglingSuccessor = number
        return journal
      }
      last = journal
      let path = JournalDraft.path(paths.draftStem(continuing: journal.header.id), number)
      guard journal.isWritable else {
        // Whoever may write to it has to name it first.
        if case .journal(let next) = try look(at: path), !next.isWritable { return next }
        continue
      }
      try name(path)
    }
    throw StorageError(.open, paths.journal, reason: "it is replaced faster than it can be opened")
  }

  /// Gives a published journal the domain's name, which whoever published it may not have done yet.
  /// A draft's name is used up by that, so that nobody can do it late.
  func name(_ draft: String) throws(StorageError) {
    do throws(StorageError) {
      try disk.rename(draft, to: paths.journal, .replace)
    } catch {
      if error.code != SystemCode.noSuchFile { throw error }
    }
  }

  private enum Found {
    case nothing
    /// It could not be used as it is, and another one is in its place.
    case replaced
    case journal(Journal)
  }

  private func look(at path: String) throws(StorageError) -> Found {
    guard let (file, isWritable) = try openJournalFile(path) else { return .nothing }
    let mapping: Mapping
    let status: FileStatus
    let reading: JournalHeader.Reading
    do throws(StorageError) {
      status = try disk.status(of: file)
      mapping = try Journal.map(file, writable: isWritable, on: disk)
      // Not from the file: that would wake those who wait for signals.
      reading = JournalHeader.read(mapping.bytes(0..<min(status.size, JournalHeader.size)))
    } catch {
      disk.close(file)
      throw error
    }
    guard case .header(let header) = reading else {
      defer { disk.close(file) }
      return try putAside(file, reading, isWritable)
    }
    let journal = try Journal(
      path: paths.journal, file: file, header: header, isWritable: isWritable, mapping: mapping,
      on: disk)
    if header.version == JournalHeader.versionWithLock { return try convert(journal) }
    // A file that was cut off ends before its word says, which is looked at first: the file may be
    // growing. After a power cut, that says little.
    let length = journal.length
    let isWhole = journal.size(upTo: length) == length || header.boot != disk.bootID()
    if journal.state.isSound && isWhole || !isWritable { return .journal(journal) }
    return try withExtendedLifetime(journal) { () throws(StorageError) in
      try putAside(file, .damaged, isWritable)
    }
  }

  /// A journal of the version in which a lock guarded appending: its records are the same.
  private func convert(_ old: Journal) throws(StorageError) -> Found {
    let size = try disk.status(of: old.file).size
    guard old.isWritable else {
      throw StorageError(
        .decode, paths.journal, reason: "it is of an older version; who may write it must open it")
    }
    let (length, isRetired) = old.retireWithLock()
    if isRetired, let now = try disk.status(of: paths.journal), !now.isSameFile(as: old.status) {
      return .replaced
    }
    let reading = plistFile.read()
    let successorPlan = try successorPlan(of: old, on: reading)
    let draft = try draft(successorPlan.header, continuing: nil)
    do throws(StorageError) {
      if let start = successorPlan.start {
        let end = old.header.boot == disk.bootID() && length > 0 ? length : size
        let scan = old.scan(from: start, to: end, ofAtMost: size, unsound: unsound(in: old))
        try draft.append(scan.changeSets)
      }
      try draft.synchronize()
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
    _ = try take(the: old.status, by: draft, keeping: false)
    return .replaced
  }

  private func openJournalFile(
    _ path: String
  ) throws(StorageError) -> (FileID, isWritable: Bool)? {
    do throws(StorageError) {
      return (try disk.open(path, .readWrite), true)
    } catch {
      if [SystemCode.noSuchFile, SystemCode.notDirectory, SystemCode.nameTooLong]
        .contains(error.code)
      {
        return nil
      }
      guard isWritingRefused(error) else { throw error }
    }
    return (try disk.open(path, .read), false)
  }

  /// A journal that can't be used as one: what its records still hold goes into a new one, which
  /// takes its place; the file is kept under another name.
  private func putAside(
    _ file: FileID, _ reading: JournalHeader.Reading, _ isWritable: Bool
  ) throws(StorageError) -> Found {
    if case .newer(let version) = reading {
      throw StorageError(
        .decode, paths.journal,
        reason: "it has format \(version), this program knows \(JournalHeader.version); "
          + "use a newer version of the program")
    }
    guard isWritable else { return .nothing }
    let status = try disk.status(of: file)
    let bytes = try disk.read(file, at: 0, count: min(status.size, disk.journalSizeMax))
    let scan = JournalScan(
      Array(bytes.dropFirst(JournalLayout.recordsStart)), offset: JournalLayout.recordsStart,
      of: nil)
    let plist = plistFile.read()
    var header = try header(on: plist)
    header.mendedSalt = scan.salt ?? 0
    header.mendedCount = UInt32(clamping: scan.changeSets.count)
    let draft = try draft(header, at: paths.mendedStem)
    do throws(StorageError) {
      try draft.append(scan.changeSets)
      try draft.synchronize()
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
    // No journal has its name before its content is on the disk.
    let isEmpty = reading == .blank && !bytes.contains { $0 != 0 }
    guard case .taken(let kept) = try take(the: status, by: draft, keeping: !isEmpty) else {
      return .replaced
    }
    let text =
      isEmpty
      ? "it was emptied; what it held is lost"
      : "its head was damaged; \(scan.changeSets.count) records were kept"
    report(.damaged, paths.journal, text, keptAt: kept)
    return .replaced
  }

  /// How often to look for a journal that others make and replace.
  private static let makingLooksMax = 1_000

  /// Makes the first journal, if no other process is faster.
  private func makeJournal() throws(StorageError) {
    let reading = plistFile.read()
    let header = try header(on: reading)
    let draft = try draft(header, continuing: nil)
    do throws(StorageError) {
      try draft.append(firstChanges(on: reading).map { [$0] } ?? [])
      try draft.synchronize()
      try disk.rename(draft.path, toFree: paths.journal)
    } catch {
      try draft.discard()
      if error.code != SystemCode.exists && error.code != SystemCode.noSuchFile { throw error }
      return
    }
    try JournalDraft.sweep(
      paths.draftStem(continuing: nil), below: draft.number, on: disk)
  }

  /// The head of a journal that stands on this file.
  ///
  /// A journal that outlived a power cut, on a file that did not, would take what the disk has in
  /// that file's place for an edit, and all that is in the journal for older.
  func header(on reading: PlistReading) throws(StorageError) -> JournalHeader {
    try plistFile.makeDurable(reading)
    return JournalHeader(on: reading.identity, reading.status, boot: disk.bootID())
  }

  func draft(
    _ header: JournalHeader, continuing old: Journal?
  ) throws(StorageError) -> JournalDraft {
    let stem = paths.draftStem(continuing: old?.header.id)
    guard let old else { return try draft(header, at: stem) }
    return try draft(header, at: stem) { old.nextDraftNumber() }
  }

  private func draft(_ header: JournalHeader, at stem: String) throws(StorageError) -> JournalDraft
  {
    var number: UInt64 = 0
    return try draft(header, at: stem) {
      number += 1
      return number
    }
  }

  private func draft(
    _ header: JournalHeader, at stem: String, numbered nextNumber: () -> UInt64
  ) throws(StorageError) -> JournalDraft {
    let around = try disk.status(of: paths.directory)
    let rights = paths.place == nil ? around?.groupRights ?? 0 : 0
    return try JournalDraft(
      header, at: stem, numbered: nextNumber, mode: paths.fileMode | rights, owner: around?.owner,
      on: disk)
  }

  /// This process's place among those who write where the domain's files are now.
  func lockOwnerInPlace() throws(StorageError) -> LockOwner {
    let known = try process.lockOwner(for: paths, insteadOf: nil)
    return try isInPlace(known) ? known : process.lockOwner(for: paths, insteadOf: known)
  }

  /// Has the journal's name on the disk, once for each journal.
  func link(_ journal: Journal) throws(StorageError) {
    guard journal.isWritable, journal.linked.pointee.load(ordering: .acquiring) == 0 else { return }
    try disk.synchronizeDirectory(paths.hidden)  // Durability: the name of what will be synced
    try linkDirectories()
    journal.linked.pointee.store(1, ordering: .releasing)
  }

  /// The directories may be new, whoever made them.
  func linkDirectories() throws(StorageError) {
    if areDirectoriesLinked.load(ordering: .relaxed) { return }
    try linkDirectories(around: paths.hidden)
    if paths.place != nil { try linkDirectories(around: paths.directory) }
    areDirectoriesLinked.store(true, ordering: .relaxed)
  }

  private func linkDirectories(around directory: String) throws(StorageError) {
    var path = directory
    while path != "/", path != ".", let status = try disk.status(of: path),
      status.owner.user == disk.user || disk.user == 0
    {
      path = Path.directory(of: path)
      try disk.synchronizeNames(in: path)  // Durability: the names that lead to the journal
    }
  }
}
