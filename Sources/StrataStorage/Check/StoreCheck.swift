import Synchronization

/// Checks whether a domain on disk keeps every invariant that the library relies on.
///
/// It changes nothing and takes no lock, so it tells most about a domain that nobody is writing to.
public struct StoreCheck: Sendable {
  /// One finding.
  public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// How bad it is.
    public enum Severity: String, Sendable {
      /// An invariant does not hold: a value may be lost.
      case broken
      /// A state that the next program to open the domain will resolve.
      case unfinished
    }

    /// How bad it is.
    public let severity: Severity
    /// The file that it is about.
    public let path: String
    /// What does not hold.
    public let text: String

    public var description: String { "\(path): \(severity.rawValue): \(text)" }
  }

  /// What was found; empty if all is well.
  public private(set) var findings: [Finding] = []
  /// How many values the domain has, with those that wait for the next flush.
  public private(set) var valueCount = 0
  /// How many change sets wait for the next flush.
  public private(set) var pendingCount = 0

  private var journalID: [UInt64] = []
  private var lastDraft = PlistDraft.Number.unknown
  private let paths: StorePaths
  private let disk: any FileSystem

  /// Checks the domain with these files.
  public init(_ paths: StorePaths) { self.init(paths, on: SystemFileSystem()) }

  init(_ paths: StorePaths, on disk: any FileSystem) {
    self.paths = paths.placed(on: disk)
    self.disk = disk
    checkPlace()
    let plist = PlistFile(path: paths.plist, disk: disk).read()
    check(plist)
    do throws(StorageError) {
      try checkJournal(with: plist)
      try checkLeftovers()
    } catch {
      add(.broken, error.path, error.description)
    }
  }

  @inline(never)
  private mutating func add(_ severity: Finding.Severity, _ path: String, _ text: String) {
    findings.append(Finding(severity: severity, path: path, text: text))
  }

  private mutating func checkPlace() {
    guard let place = paths.machinePlace else { return }
    do throws(StorageError) {
      if try disk.standing(of: place, making: false) == .unsound {
        add(
          .broken, place.path, "it is not a directory of its user that only that user may write to")
      }
    } catch {
      add(.broken, place.path, error.description)
    }
  }

  // -- The property list

  private mutating func check(_ plist: PlistReading) {
    valueCount = plist.values.count
    switch plist.content {
    case .absent, .foreign: break
    case .intact: checkMode(plist.status, paths.plist)
    case .damaged(let salvage):
      add(
        .broken, paths.plist,
        "its checksum is wrong; \(salvage.entries.count) values are intact, "
          + "at least \(salvage.damagedCount) are not")
    case .malformed(let text): add(.broken, paths.plist, text)
    case .unreadable(let error): add(.broken, paths.plist, error.description)
    }
  }

  private mutating func checkMode(_ status: FileStatus?, _ path: String) {
    let most = paths.fileMode | groupRights
    guard let status, status.mode & ~most != 0 else { return }
    add(
      .broken, path,
      "its permissions are \(String(status.mode, radix: 8)), "
        + "at most \(String(most, radix: 8)) are right")
  }

  /// The rights that the directory gives its group; none if the directory can't be looked at.
  private var groupRights: UInt32 {
    do throws(StorageError) {
      return try disk.status(of: paths.directory)?.groupRights ?? 0
    } catch {
      return 0
    }
  }

  // -- The journal

  private mutating func checkJournal(with plist: PlistReading) throws(StorageError) {
    guard let status = try disk.status(of: paths.journal) else { return }
    checkMode(status, paths.journal)
    let file = try disk.open(paths.journal, .read)
    let bytes: [UInt8]
    do throws(StorageError) {
      bytes = try disk.read(file, at: 0, count: min(status.size, JournalHeader.size))
    } catch {
      disk.close(file)
      throw error
    }
    let reading = JournalHeader.read(bytes)
    guard case .header(let header) = reading, header.version == JournalHeader.version else {
      disk.close(file)
      return judge(reading)
    }
    journalID = [header.id]
    let journal = try Journal(
      path: paths.journal, file: file, header: header, isWritable: false, on: disk)
    lastDraft = journal.plistDraft
    if let scan = try check(journal) { check(journal, with: scan, standsOn: plist) }
  }

  private mutating func judge(_ unusable: JournalHeader.Reading) {
    switch unusable {
    case .blank, .damaged: add(.broken, paths.journal, "its header is corrupt")
    case .newer(let version): add(.broken, paths.journal, "its format is \(version)")
    case .header:
      add(.unfinished, paths.journal, "it was written by an older version of the library")
    }
  }

  /// - Returns: its records; nil if it is not known where they end.
  private mutating func check(_ journal: Journal) throws(StorageError) -> JournalScan? {
    // Ordering: acquiring, so in this order, since somebody may append meanwhile.
    let synced = journal.syncedLength.pointee.load(ordering: .acquiring)
    let word = journal.state
    let length = word.length
    let size = try disk.status(of: journal.file).size
    guard word.isSound else {
      add(.broken, journal.path, "the word that holds its committed length is damaged")
      return nil
    }
    guard length <= size else {
      add(.broken, journal.path, "its committed length \(length) exceeds its \(size) bytes")
      return nil
    }
    if word.reserved > 0 {
      add(.unfinished, journal.path, "a record is being written, or was by a process that died")
    }
    if word.isRetired { add(.unfinished, journal.path, "it is retired but still in place") }
    if size == JournalLayout.idleSize, word.isRetired || journal.intent != nil {
      add(.broken, journal.path, "its \(size) bytes say that it has nothing to tell, and it has")
    }
    // After a restart of the machine, these two may be from different moments.
    if synced > UInt64(length), journal.header.boot == disk.bootID() {
      add(
        .broken, journal.path, "\(synced) bytes are marked durable, but only \(length) were written"
      )
    }
    let range = JournalLayout.recordsStart..<length
    let scan = JournalScan(
      journal.bytes(range), offset: range.lowerBound, of: journal.header)
    pendingCount = scan.count
    if scan.damagedCount > 0 {
      add(.broken, journal.path, "\(scan.damagedCount) of its records are corrupt")
    }
    if let intent = journal.intent, !intent.isOvertaken,
      !(JournalLayout.recordsStart...length).contains(intent.covers)
    {
      add(.broken, journal.path, "it announces a checkpoint up to \(intent.covers), past its end")
    }
    return scan
  }

  private mutating func check(
    _ journal: Journal, with scan: JournalScan, standsOn plist: PlistReading
  ) {
    if journal.header.boot != disk.bootID() {
      add(.unfinished, journal.path, "it was last used before the machine was started")
    }
    let standing = Recovery.standing(of: plist, journal.facts)
    if case .adds(let start) = standing { count(scan, from: start, on: plist) }
    switch standing {
    case .edited:
      add(.unfinished, paths.plist, "it was edited, and no program has read the edit yet")
    case .adds where plist.isSound && journal.header.base == .unknown:
      add(.unfinished, paths.plist, "it could not be read before, and no program has read it since")
    case .adds where plist.isSound && plist.identity != journal.header.base:
      add(.unfinished, journal.path, "an interrupted checkpoint is to be completed")
    case .adds: break
    }
  }

  private mutating func count(_ scan: JournalScan, from start: Int, on plist: PlistReading) {
    var keys = Set(plist.values.keys)
    for (index, end) in scan.ends.enumerated() where end > start {
      let changes = scan.changes(index)
      if changes.replacesAll { keys.removeAll() }
      for change in changes.changes {
        if change.value == nil { keys.remove(change.key) } else { keys.insert(change.key) }
      }
    }
    valueCount = keys.count
  }

  // -- What should not be there

  private mutating func checkLeftovers() throws(StorageError) {
    let file = PlistFile(path: paths.plist, disk: disk, machinePlace: paths.machinePlace)
    let draft = file.draftPath(lastDraft, of: try file.target())
    let drafts = try Set(file.drafts()).union([draft]).sorted()
    let stems =
      [paths.draftStem(continuing: nil)] + journalID.map { paths.draftStem(continuing: $0) }
    for path in drafts + stems.map({ JournalDraft.path($0, 1) })
    where try disk.status(of: path) != nil {
      add(.unfinished, path, "it was left by a process that died")
    }
  }
}
