/// The names of a domain's journals: its own, and those under which others are made.
struct JournalNames {
  let paths: StorePaths
  let disk: any FileSystem

  var plistFile: PlistFile { PlistFile(path: paths.plist, disk: disk, place: paths.place) }

  /// Whether there is a journal, as far as this user can tell.
  var isTaken: Bool {
    do throws(StorageError) { return try disk.status(of: paths.journal) != nil } catch {
      return true
    }
  }

  /// Whether the domain's name is this journal's.
  func isHeld(by journal: Journal) throws(StorageError) -> Bool {
    try isHeld(by: journal.status)
  }

  func isHeld(by file: FileStatus) throws(StorageError) -> Bool {
    try disk.status(of: paths.journal)?.isSameFile(as: file) ?? false
  }

  /// Gives a published journal the domain's name, which whoever published it may not have done yet.
  /// A draft's name is used up by that, so that nobody can do it late.
  func give(to draft: String) throws(StorageError) {
    do throws(StorageError) {
      try disk.rename(draft, to: paths.journal, .replace)
    } catch {
      if error.code != SystemCode.noSuchFile { throw error }
    }
  }

  // -- New journals

  /// The head of a journal that stands on this file.
  ///
  /// A journal that outlived a power cut, on a file that did not, would take what the disk has in
  /// that file's place for an edit, and all that is in the journal for older.
  func header(on reading: PlistReading) throws(StorageError) -> JournalHeader {
    try plistFile.makeDurable(reading)
    return JournalHeader(on: reading.identity, reading.status, boot: disk.bootID())
  }

  /// A journal that is to continue `old`, or (nil) to be the domain's first.
  func draft(
    _ header: JournalHeader, continuing old: Journal?
  ) throws(StorageError) -> JournalDraft {
    let stem = paths.draftStem(continuing: old?.header.id)
    guard let old else { return try draft(header, at: stem) }
    return try draft(header, at: stem) { old.nextDraftNumber() }
  }

  /// A journal that is to trade names with one that can't be used.
  func draftOfMended(_ header: JournalHeader) throws(StorageError) -> JournalDraft {
    try draft(header, at: paths.mendedStem)
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

  // -- Journals that are of no use any more

  /// Has `give` give one a dated name, which it gets back.
  func withDatedName(
    _ give: (String) throws(StorageError) -> Void
  ) throws(StorageError) -> String {
    let stem = paths.journal + ".damaged-" + ProcessEvents.timestamp()
    for attempt in 1...100 {
      let path = attempt == 1 ? stem : stem + "-\(attempt)"
      do throws(StorageError) {
        try give(path)
        return path
      } catch {
        if error.code != SystemCode.exists { throw error }
      }
    }
    throw StorageError(.rename, stem, code: SystemCode.exists)
  }
}
