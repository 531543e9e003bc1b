/// The names of a domain's journals: the domain's own, and those under which new ones are made.
struct JournalNames {
  let paths: StorePaths
  let disk: any FileSystem

  var plistFile: PlistFile {
    @inline(never) get {
      PlistFile(path: paths.plist, disk: disk, machinePlace: paths.machinePlace)
    }
  }

  /// Whether there is a journal, as far as this user can tell.
  var isTaken: Bool {
    do throws(StorageError) { return try disk.status(of: paths.journal) != nil } catch {
      return true
    }
  }

  /// What can be told of the journal without opening it.
  enum Glance {
    case missing
    /// The property list holds everything: see `JournalLayout.idleSize`.
    case idle
    case unknown
  }

  @inline(never)
  func glance() throws(StorageError) -> Glance {
    if paths.machinePlace != nil { return .unknown }
    guard let status = try disk.status(of: paths.journal) else { return .missing }
    return status.isRegular && status.size == JournalLayout.idleSize ? .idle : .unknown
  }

  /// Whether this journal has the domain's name.
  func isHeld(by journal: Journal) throws(StorageError) -> Bool {
    try isHeld(by: journal.status)
  }

  @inline(never)
  func isHeld(by file: FileStatus) throws(StorageError) -> Bool {
    try disk.status(of: paths.journal)?.isSameFile(as: file) ?? false
  }

  /// Gives the domain's name to a published journal (one that its predecessor has named as its
  /// successor), unless its maker has done so. That uses up the draft's own name, so nobody can do
  /// it late.
  func give(to draft: String) throws(StorageError) {
    do throws(StorageError) {
      try disk.rename(draft, to: paths.journal, .replace)
    } catch {
      if error.code != SystemCode.noSuchFile { throw error }
    }
  }

  // -- New journals

  /// The header of a journal whose base, the plist file that its records apply to, is this file.
  /// Makes the file durable first.
  ///
  /// If a journal outlived a power cut, and its base did not, the older file that is there would
  /// pass for an edit, and every record of the journal for older than that.
  func header(on reading: PlistReading) throws(StorageError) -> JournalHeader {
    try plistFile.makeDurable(reading)
    return JournalHeader(on: reading.identity, reading.status, boot: disk.bootID())
  }

  /// A draft of a journal that continues `old`, or (nil) is the domain's first.
  func draft(
    _ header: JournalHeader, continuing old: Journal?
  ) throws(StorageError) -> JournalDraft {
    let stem = paths.draftStem(continuing: old?.header.id)
    guard let old else { return try draft(header, at: stem) }
    return try draft(header, at: stem) { old.nextDraftNumber() }
  }

  /// A draft of a journal that is to exchange names with one that can't be used.
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
    let rights = paths.machinePlace == nil ? around?.groupRights ?? 0 : 0
    return try JournalDraft(
      header, at: stem, numbered: nextNumber, mode: paths.fileMode | rights, owner: around?.owner,
      on: disk)
  }
}
