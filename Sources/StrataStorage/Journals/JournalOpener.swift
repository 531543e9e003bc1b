import Synchronization

/// What a process has of a domain's journal.
enum JournalAccess {
  case open(Journal)
  /// There is none, and none is to be made or can be had, as in somebody else's directory.
  case none
  /// There is one that this user may not open.
  case denied(StorageError)
  /// There may be one that can't be opened now, for a reason that may end at any moment.
  case unknown(StorageError)

  @inline(__always)
  var journal: Journal? { if case .open(let journal) = self { journal } else { nil } }

  var isNothing: Bool { if case .none = self { true } else { false } }
  var isUnknown: Bool { if case .unknown = self { true } else { false } }

  /// Why it is not known what the journal holds; nil if it is, or if there is none.
  var obstacle: StorageError? {
    switch self {
    case .open, .none: nil
    case .denied(let error), .unknown(let error): error
    }
  }
}

/// Opens a domain's journal: finds it, or makes the first one, and replaces one that can't be used
/// as it is.
///
/// Locking: the store's lock is held.
final class JournalOpener {
  let names: JournalNames
  let rules: StoreRules
  /// Gets this process's handle for locking, where the files are now.
  let lockOwner: () throws(StorageError) -> LockOwner
  /// What a person should know, oldest first.
  private(set) var issues: [StorageIssue] = []

  var paths: StorePaths { names.paths }
  var disk: any FileSystem { names.disk }

  init(
    _ names: JournalNames, _ rules: StoreRules,
    _ lockOwner: @escaping () throws(StorageError) -> LockOwner
  ) {
    self.names = names
    self.rules = rules
    self.lockOwner = lockOwner
  }

  /// The journal at the domain's path.
  func open(making: Bool) -> JournalAccess {
    if let placeObstacle {
      if making { report(.notStored, paths.plist, placeObstacle) }
      return .none
    }
    do throws(StorageError) {
      for _ in 0..<Self.looksMax {
        if let journal = try existing() { return .open(journal) }
        guard making else { return .none }
        try makeFirst()
      }
      report(.notStored, paths.journal, "another process is making it and does not finish")
      return .none
    } catch {
      return access(after: error)
    }
  }

  /// How often to look for a journal, while others make and replace it.
  private static let looksMax = 1_000

  private func access(after error: StorageError) -> JournalAccess {
    if error.isOfRefusedWriting {
      if error.code == SystemCode.denied, Path.isSame(error.path, paths.journal) {
        report(
          .unreadable, paths.journal,
          error.description
            + "; the newest values set by others may be missing, and new values are kept in "
            + "this process only; give this user permission to read and write it")
        return .denied(error)
      }
      return .none
    }
    let kind = error.operation == .decode ? StorageIssue.Kind.newerFormat : .notStored
    report(kind, error.path.isEmpty ? paths.journal : error.path, error.description)
    return .unknown(error)
  }

  func report(
    _ kind: StorageIssue.Kind, _ path: String, _ text: String, keptAt: String? = nil
  ) {
    issues.append(StorageIssue(kind, path, text, keptAt: keptAt))
  }

  /// Why processes can't share a journal, where that must be in a place on this machine.
  var placeObstacle: String? {
    guard let place = paths.machinePlace else { return nil }
    let reason: String
    do throws(StorageError) {
      switch try disk.standing(of: place, making: false) {
      case .sound: return nil
      case .missing: reason = "only user \(place.owner) can make \(place.path), with a first set"
      case .unsound:
        reason =
          "\(place.path) is not a directory of user \(place.owner) that only that user may write "
          + "to; remove it"
      }
    } catch {
      reason = error.description
    }
    return "it is in a file system of type \(place.kind), so shared state has to be kept on "
      + "this machine: " + reason
  }

  // -- What is there

  /// The journal at the domain's path or, if that is retired, its successor.
  private func existing() throws(StorageError) -> Journal? {
    // Kept open, so that the kernel gives its inode number to no other file meanwhile.
    var last: Journal?
    for _ in 0..<Self.looksMax {
      let journal: Journal
      switch try look(at: paths.journal) {
      case .nothing: return nil
      case .replaced: continue
      case .journal(let found): journal = found
      }
      // Ordering: acquires the journal that this names.
      let number = journal.successor.pointee.load(ordering: .acquiring)
      let stillHasName = last.map { $0.status.isSameFile(as: journal.status) } ?? false
      guard journal.state.isRetired, number != 0 else { return journal }
      if stillHasName {
        journal.danglingSuccessor = number
        return journal
      }
      let path = JournalDraft.path(paths.draftStem(continuing: journal.header.id), number)
      if !journal.isWritable {
        switch try look(at: path) {
        // A process that may write to it has to give it the domain's name.
        case .journal(let next) where !next.isWritable: return next
        case .journal: try names.give(to: path)
        case .replaced: continue
        case .nothing: break
        }
      } else {
        try names.give(to: path)
      }
      // Not before: a successor that has no name yet is not gone.
      last = journal
    }
    throw StorageError(.open, paths.journal, reason: "it is replaced faster than it can be opened")
  }

  enum Found {
    case nothing
    /// It could not be used as it is, and another one is in its place now.
    case replaced
    case journal(Journal)
  }

  private func look(at path: String) throws(StorageError) -> Found {
    guard let (file, isWritable) = try openFile(path) else { return .nothing }
    let mapping: Mapping
    let status: FileStatus
    let reading: JournalHeader.Reading
    do throws(StorageError) {
      status = try disk.status(of: file)
      mapping = try Journal.map(file, writable: isWritable, on: disk)
      // From the mapping: to read the file would wake those who wait for signals.
      reading = mapping.withCopy(of: 0..<min(status.size, JournalHeader.size)) {
        JournalHeader.read($0)
      }
    } catch {
      disk.close(file)
      throw error
    }
    guard case .header(let header) = reading else {
      defer { disk.close(file) }
      return try mend(file, reading, isWritable)
    }
    let journal = try Journal(
      path: paths.journal, file: file, header: header, isWritable: isWritable,
      opened: (status, mapping), on: disk)
    if header.version == JournalHeader.versionWithLock { return try convert(journal) }
    // A file that was cut off is shorter than its word says. The word is read first, since the file
    // may be growing. After a power cut, the word says little about the file.
    let length = journal.length
    let isWhole = journal.size(upTo: length) == length || header.boot != disk.bootID()
    if journal.state.isSound && isWhole || !isWritable { return .journal(journal) }
    if !isWhole { journal.giveUp() }
    defer { withExtendedLifetime(journal) {} }
    return try mend(file, .damaged, isWritable)
  }

  private func openFile(
    _ path: String
  ) throws(StorageError) -> (FileID, isWritable: Bool)? {
    do throws(StorageError) {
      return try disk.openIfThere(path).map { ($0, true) }
    } catch {
      guard error.isOfRefusedWriting else { throw error }
    }
    return (try disk.open(path, .read), false)
  }

  // -- The first one

  /// Makes the first journal, unless another process is faster.
  private func makeFirst() throws(StorageError) {
    let reading = names.plistFile.read()
    let draft = try names.draft(try names.header(on: reading), continuing: nil)
    do throws(StorageError) {
      try draft.append(try firstChanges(on: reading).map { [$0] } ?? [])
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

  /// What a domain without a file begins with. It goes into the first journal, which only one
  /// process makes, so the domain gets it only once.
  ///
  /// Throws if that can't be read at the moment: nothing is stored before it is. What can't be read
  /// for other reasons does not keep the domain from being used.
  func firstChanges(on reading: PlistReading) throws(StorageError) -> ChangeSet? {
    guard case .absent = reading.content, let firstValues = rules.firstValues else { return nil }
    do throws(StorageError) {
      let values = try firstValues()
      return values.isEmpty ? nil : ChangeSet(setting: values)
    } catch {
      if error.isOfMoment { throw error }
      report(
        .unreadable, error.path,
        error.description + "; the domain begins without the values that are stored there")
      return nil
    }
  }
}
