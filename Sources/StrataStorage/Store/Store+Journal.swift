import Synchronization

/// Opening, making and replacing the journal. The lock must be held.
extension Store {
  /// The journal at its path; nil when there is none, and none is to be made or can be had.
  func openJournal(making: Bool) -> Journal? {
    do {
      for _ in 0..<Self.makingLooksMax {
        if let journal = try existingJournal() {
          // The lock in it is for those who are known beside it.
          if holder != nil { holder = try holderInPlace() }
          return journal
        }
        guard making else { return nil }
        try makeJournal()
      }
      report(.notStored, paths.journal, "another process is making it and does not finish")
    } catch {
      if isWritingRefused(error) { return nil }
      let kind = error.operation == .decode ? StorageIssue.Kind.newerFormat : .notStored
      report(kind, error.path.isEmpty ? paths.journal : error.path, error.description)
    }
    return nil
  }

  /// A place that is someone else's is no trouble: its journal, if any, is read.
  private func isWritingRefused(_ error: StorageError) -> Bool {
    [
      SystemCode.denied, SystemCode.readOnly, SystemCode.notPermitted, SystemCode.noSuchFile,
      SystemCode.notDirectory, SystemCode.nameTooLong,
    ].contains(error.code)
  }

  private func existingJournal() throws(StorageError) -> Journal? {
    guard let (file, isWritable) = try openJournalFile() else { return nil }
    let mapping: Mapping
    let reading: JournalHeader.Reading
    do throws(StorageError) {
      let size = min(try disk.status(of: file).size, JournalHeader.size)
      mapping = try Journal.map(file, writable: isWritable, on: disk)
      // Not from the file: that would wake those who wait for signals.
      reading = JournalHeader.read(mapping.bytes(0..<size))
    } catch {
      disk.close(file)
      throw error
    }
    if case .header(let header) = reading {
      let journal = try Journal(
        path: paths.journal, file: file, header: header, isWritable: isWritable, mapping: mapping,
        on: disk)
      if journal.length >= 0 || !isWritable { return journal }
      try putAside(file, .damaged)
      return withExtendedLifetime(journal) { nil }
    }
    defer { disk.close(file) }
    try putAside(file, reading)
    return nil
  }

  private func openJournalFile() throws(StorageError) -> (FileID, isWritable: Bool)? {
    do throws(StorageError) {
      return (try disk.open(paths.journal, .readWrite), true)
    } catch {
      if [SystemCode.noSuchFile, SystemCode.notDirectory, SystemCode.nameTooLong]
        .contains(error.code)
      {
        return nil
      }
      guard isWritingRefused(error) else { throw error }
    }
    return (try disk.open(paths.journal, .read), false)
  }

  /// A journal that can't be used as one: what its records still hold is taken into `unstored`, and
  /// the file is kept under another name.
  private func putAside(_ file: FileID, _ reading: JournalHeader.Reading) throws(StorageError) {
    if case .newer(let version) = reading {
      throw StorageError(
        .decode, paths.journal,
        reason: "it has format \(version), this program knows \(JournalHeader.version); "
          + "use a newer version of the program")
    }
    let size = try disk.status(of: file).size
    let holder = try holderInPlace()
    guard try holder.beginMaking() else { return }
    defer { holder.endMaking() }
    // Another process may have seen the same damage, and a sound journal may be in place by now.
    guard let now = try disk.status(of: paths.journal),
      now.isSameFile(as: try disk.status(of: file))
    else { return }
    let bytes = try disk.read(file, at: 0, count: size)
    if reading == .blank, !bytes.contains(where: { $0 != 0 }) {
      // No journal has its name before its content is on the disk.
      report(.damaged, paths.journal, "it was emptied; what it held is lost")
      return try disk.remove(paths.journal)
    }
    let scan = JournalScan(
      Array(bytes.dropFirst(JournalLayout.recordsStart)), offset: JournalLayout.recordsStart,
      salt: nil)
    let kept = try moveAside(paths.journal)
    report(
      .damaged, paths.journal, "its head was damaged; \(scan.changeSets.count) records were kept",
      keptAt: kept)
    for changes in scan.changeSets { unstored.add(changes) }
  }

  /// Between two looks whether another process has made the journal, and how often to look.
  private static let makingPause: Int64 = 1_000_000
  private static let makingLooksMax = 10_000

  /// Makes the first journal, or lets another process that is at it go on for a moment.
  ///
  /// Nobody may go on without the journal that someone else is making: their sets would not meet.
  private func makeJournal() throws(StorageError) {
    let holder = try holderInPlace()
    self.holder = holder
    guard try holder.beginMaking() else { return Alarm().sleep(0, atMost: Self.makingPause) }
    defer { holder.endMaking() }
    // Whoever was at it may be done, and be replacing the journal by now: in the same draft.
    guard try isInPlace(holder), try disk.status(of: paths.journal) == nil else { return }
    let reading = plistFile.read()
    let header = JournalHeader(on: reading.identity, reading.status, boot: disk.bootID())
    do throws(StorageError) {
      let first = firstChanges(on: reading)
      let file = try writeJournal(header, carrying: first.map { [$0] } ?? [])
      disk.close(file)
      try disk.rename(paths.newJournal, to: paths.journal, .refuse)
    } catch {
      if error.code != SystemCode.exists { throw error }
    }
  }

  /// Whoever makes a journal excludes all others, also those who never knew the directory that was
  /// here before: with the lock of the file that is here now.
  func holderInPlace() throws(StorageError) -> Holder {
    let known = try process.holder(for: paths, insteadOf: nil)
    return try isInPlace(known) ? known : process.holder(for: paths, insteadOf: known)
  }

  /// Writes a journal file beside the current one, durable, without giving it its name.
  private func writeJournal(
    _ header: JournalHeader, carrying changeSets: [ChangeSet]
  ) throws(StorageError) -> FileID {
    var header = header
    var records: [UInt8] = []
    var previous: UInt32 = 0
    for changes in changeSets {
      let record = JournalRecord.bytes(
        changes, salt: header.salt, previous: previous,
        offset: JournalLayout.recordsStart + records.count)
      records += record.bytes
      previous = record.sum
    }
    header.carriedEnd = JournalLayout.recordsStart + records.count
    let size = max(
      JournalLayout.initialSize,
      (header.carriedEnd + JournalLayout.initialSize / 2).roundedUp(to: JournalLayout.initialSize))
    let file = try disk.open(paths.newJournal, .replace(mode: paths.fileMode))
    do throws(StorageError) {
      try disk.setAttributes(
        file, mode: paths.fileMode, owner: try disk.status(of: paths.directory)?.owner)
      try disk.allocate(file, 0..<size)
      try disk.write(header.page + records, to: file, at: 0)
      try disk.synchronize(file)  // Durability: content before name
      return file
    } catch {
      disk.close(file)
      try disk.remove(paths.newJournal)  // on a full disk, its space is wanted
      throw error
    }
  }

  /// Puts a new journal in `old`'s place. The shared lock of `old` must be held.
  ///
  /// `old` is retired before the new one gets its name: nobody appends to it from then on. If this
  /// process dies in between, whoever finds it retired but still in place takes that back.
  func replace(
    _ old: Journal, by header: JournalHeader, carrying changeSets: [ChangeSet]
  ) throws(StorageError) -> Journal {
    let file = try writeJournal(header, carrying: changeSets)
    var header = header
    header.carriedEnd =
      JournalLayout.recordsStart
      + changeSets.reduce(0) { $0 + JournalRecord.size(payload: RecordWriter.size(of: $1)) }
    let new = try Journal(
      path: paths.journal, file: file, header: header, isWritable: true, on: disk)
    old.word.pointee.bitwiseOr(JournalLayout.retiredBit, ordering: .acquiringAndReleasing)
    do throws(StorageError) {
      try nameNewJournal(keepingOld: old.isDamaged)
    } catch {
      old.word.pointee.bitwiseAnd(~JournalLayout.retiredBit, ordering: .acquiringAndReleasing)
      throw error
    }
    return new
  }

  /// Gives the new journal its name; a damaged old one is kept under a dated one.
  private func nameNewJournal(keepingOld isOldDamaged: Bool) throws(StorageError) {
    guard isOldDamaged else {
      return try disk.rename(paths.newJournal, to: paths.journal, .replace)
    }
    do throws(StorageError) {
      try disk.rename(paths.newJournal, to: paths.journal, .exchange)
    } catch {
      guard error.code == SystemCode.invalid || error.code == SystemCode.unsupported else {
        throw error
      }
      return try disk.rename(paths.newJournal, to: paths.journal, .replace)
    }
    do throws(StorageError) {
      let kept = try moveAside(paths.newJournal, named: paths.journal)
      report(.damaged, paths.journal, "what it held was kept", keptAt: kept)
    } catch {
      report(.notStored, paths.journal, error.description)
    }
  }

  /// Has the journal's name on the disk, once for each journal.
  func link(_ journal: Journal) throws(StorageError) {
    guard journal.isWritable, journal.linked.pointee.load(ordering: .acquiring) == 0 else { return }
    try disk.synchronizeDirectory(paths.hidden)  // Durability: the name of what will be synced
    if !areDirectoriesLinked.load(ordering: .relaxed) { try linkDirectories() }
    journal.linked.pointee.store(1, ordering: .releasing)
  }

  /// The directories may be new, whoever made them.
  private func linkDirectories() throws(StorageError) {
    var path = paths.hidden
    while path != "/", path != ".", let status = try disk.status(of: path),
      status.owner.user == disk.user || disk.user == 0
    {
      path = Path.directory(of: path)
      try disk.synchronizeDirectory(path)  // Durability: the names that lead to the journal
    }
    areDirectoriesLinked.store(true, ordering: .relaxed)
  }

  /// Gives a file that is of no use any more a dated name.
  func moveAside(_ path: String, named name: String? = nil) throws(StorageError) -> String {
    let stem = (name ?? path) + ".damaged-" + ProcessEvents.timestamp()
    for attempt in 1...100 {
      let kept = attempt == 1 ? stem : stem + "-\(attempt)"
      do throws(StorageError) {
        try disk.rename(path, to: kept, .refuse)
        return kept
      } catch {
        if error.code != SystemCode.exists { throw error }
      }
    }
    throw StorageError(.rename, stem, code: SystemCode.exists)
  }
}
