import CStrata

/// Putting a new journal in the place of one that can't be used as it is.
extension JournalOpener {
  /// Converts a journal of version 1, in which a lock guarded appending: its records are the same.
  func convert(_ old: Journal) throws(StorageError) -> Found {
    let size = try disk.status(of: old.file).size
    guard old.isWritable else {
      throw StorageError(
        .decode, paths.journal,
        reason: "its format is older; a process that may write to it must open it first")
    }
    let (length, isRetired) = old.retireWithLock()
    if isRetired, let now = try disk.status(of: paths.journal), !now.isSameFile(as: old.status) {
      return .replaced
    }
    let plan = try SuccessorPlan(of: old, on: names.plistFile.read(), names)
    let draft = try names.draft(plan.header, continuing: nil)
    do throws(StorageError) {
      if let start = plan.start {
        let now = disk.bootID()
        let end = old.header.boot == now && length > 0 ? length : size
        let scan = old.scan(
          from: start, to: end, ofAtMost: size,
          unsound: Recovery.unsound(in: old.header.boot, now: now))
        try draft.append(scan)
      }
      try draft.synchronize()
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
    _ = try replace(the: old.status, by: draft, keeping: false)
    return .replaced
  }

  /// Puts what can be read of a damaged journal into a new one, which takes its place; the damaged
  /// file is kept under another name.
  func mend(
    _ file: FileID, _ reading: JournalHeader.Reading, _ isWritable: Bool
  ) throws(StorageError) -> Found {
    if case .newer(let version) = reading {
      throw StorageError(
        .decode, paths.journal,
        reason: "its format is \(version), this program supports up to \(JournalHeader.version); "
          + "use a newer version of the program")
    }
    guard isWritable else {
      throw StorageError(
        .open, paths.journal, code: SystemCode.denied,
        reason: "it is damaged, and a process that may write to it has to replace it")
    }
    let status = try disk.status(of: file)
    let bytes = try disk.read(file, at: 0, count: min(status.size, disk.journalSizeMax))
    let scan = JournalScan(
      Array(bytes.dropFirst(JournalLayout.recordsStart)), offset: JournalLayout.recordsStart,
      of: nil)
    let list = names.plistFile.read()
    var header = try names.header(on: list)
    header.mendedSalt = scan.salt ?? JournalMark.saltBit
    header.mendedCount = UInt32(clamping: scan.count)
    header.mendedEnd = scan.ends.last ?? 0
    let draft = try names.draftOfMended(header)
    // The lost one continued the one of which the file has records: a file of its checkpoint that
    // gets the name late is no edit.
    draft.rescue = list.held.map { JournalRescue(knowledge: $0, end: 0) }
    do throws(StorageError) {
      try draft.append(scan)
      try draft.synchronize()
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
    // A blank file was emptied by somebody: journals get their name only once they are on the disk.
    let isEmpty = reading == .blank && !bytes.contains { $0 != 0 }
    guard case .replaced(let kept) = try replace(the: status, by: draft, keeping: !isEmpty) else {
      return .replaced
    }
    let text =
      isEmpty
      ? "it was emptied; its content is lost"
      : "its header is corrupt; \(scan.count) records were recovered"
    report(.damaged, paths.journal, text, keptAt: kept)
    return .replaced
  }

  private enum Replacing {
    /// Another process was faster: the damaged journal had lost its name already.
    case late
    /// Where the damaged journal is kept, if it is.
    case replaced(keptAt: String?)
  }

  /// Gives a draft the name of a journal that can't be used.
  ///
  /// Locking: another process may have done the same already, and others may have appended to the
  /// journal that has the name by now. So only one process at a time looks and renames. One that is
  /// stopped then keeps nobody from exchanging the names.
  /// - Parameter keeping: whether that journal gets a dated name; otherwise it is removed.
  private func replace(
    the damaged: FileStatus, by draft: JournalDraft, keeping: Bool
  ) throws(StorageError) -> Replacing {
    do throws(StorageError) {
      let lockOwner = try lockOwner()
      let isAlone = try waitToReplace(lockOwner)
      defer { if isAlone { lockOwner.endReplacing(of: paths.name) } }
      guard try names.isHeld(by: damaged) else { return try discard(draft) }
      do throws(StorageError) {
        try disk.rename(draft.path, to: paths.journal, .exchange)
      } catch {
        guard error.isOfUnsupported else { throw error }
        guard isAlone else {
          throw StorageError(
            .lock, paths.journal, reason: "another process replaces it and does not finish")
        }
        return try overwrite(the: damaged, by: draft, keeping: keeping)
      }
    } catch {
      try draft.discard()  // on a full disk, its space is wanted
      throw error
    }
    guard let now = try disk.status(of: draft.path), now.isSameFile(as: damaged) else {
      // A journal of another process had the name, and gets it back. Whoever opened ours meanwhile
      // finds that it has lost the name.
      try disk.rename(draft.path, to: paths.journal, .exchange)
      return try discard(draft)
    }
    guard keeping else {
      try disk.remove(draft.path)
      return .replaced(keptAt: nil)
    }
    let kept = try DatedName.find(besides: names.paths.journal) { path throws(StorageError) in
      try disk.rename(draft.path, toFree: path)
    }
    return .replaced(keptAt: kept)
  }

  /// The same where names can't be exchanged: nothing loses its name before it has another one, and
  /// before its replacement is durable.
  private func overwrite(
    the damaged: FileStatus, by draft: JournalDraft, keeping: Bool
  ) throws(StorageError) -> Replacing {
    var kept: String?
    if keeping {
      let path = try DatedName.find(besides: names.paths.journal) { path throws(StorageError) in
        try disk.keep(paths.journal, at: path, size: min(damaged.size, disk.journalSizeMax))
      }
      guard try names.isHeld(by: damaged) else {
        try disk.remove(path)
        return try discard(draft)
      }
      kept = path
    }
    try disk.rename(draft.path, to: paths.journal, .replace)
    return .replaced(keptAt: kept)
  }

  private func discard(_ draft: JournalDraft) throws(StorageError) -> Replacing {
    try draft.discard()
    return .late
  }

  /// - Returns: false if another process has the right to replace it for too long.
  private func waitToReplace(_ lockOwner: LockOwner) throws(StorageError) -> Bool {
    let end = strata_coarse_now() + disk.mendingPatience
    while try !lockOwner.beginReplacing(of: paths.name) {
      if strata_coarse_now() >= end { return false }
      Alarm().sleep(0, atMost: Self.pause)
    }
    return true
  }

  private static let pause: Int64 = 1_000_000
}
