import StrataPropertyList

/// Replacing the plist file.
extension PlistFile {
  /// What became of a draft.
  enum Outcome: Equatable, Sendable {
    /// What was there is under that name now, if it is kept.
    case replaced(keptAt: String?)
    /// Somebody has written the file since it was read: that content stays, and the draft is gone.
    case edited
  }

  /// The bytes of a domain in `format`, or in binary if `format` would lose something.
  /// - Parameter held: the records that they hold. Only a binary file says so.
  static func encode(
    _ values: [String: PropertyListValue], as format: PropertyListFormat,
    holding held: JournalKnowledge? = nil
  ) -> [UInt8] {
    if format == .xml, !values.values.contains(where: losesInXML) {
      do { return try PropertyList.encode(.dictionary(values), as: .xml) } catch {}
    }
    return CheckedPlist.encode(values.map { (key: $0.key, value: $0.value) }, holding: held)
  }

  private static func losesInXML(_ value: PropertyListValue) -> Bool {
    switch value {
    case .date(let date):
      date.secondsSinceReference.rounded() != date.secondsSinceReference
    case .single: true
    case .array(let items): items.contains(where: losesInXML)
    case .dictionary(let items): items.values.contains(where: losesInXML)
    default: false
    }
  }

  func draft(
    _ bytes: [UInt8], numbered number: PlistDraft.Number, like old: FileStatus?, mode: UInt32
  ) throws(StorageError) -> PlistDraft {
    let target = try target()
    let mode = mode | (try disk.status(of: Path.directory(of: target))?.groupRights ?? 0)
    let draft = draftPath(number, of: target)
    let file = try disk.open(draft, .create(mode: mode))
    defer { disk.close(file) }
    do throws(StorageError) {
      // Stricter permissions and another owner were set on purpose; the owner can always read it.
      try disk.setAttributes(
        file, mode: mode & (old?.mode ?? mode) | 0o400, owner: old?.owner)
      try disk.write(bytes, to: file, at: 0)
      try disk.synchronize(file)  // Durability: content before name
      return PlistDraft(
        path: draft, target: target, number: number, identity: PlistIdentity(of: bytes),
        status: try disk.status(of: file))
    } catch {
      try disk.remove(draft)  // on a full disk, its space is wanted
      throw StorageError(error.operation, target, code: error.code, reason: error.reason)
    }
  }

  /// Makes the file as it was read, or its absence, survive a power cut.
  func makeDurable(_ reading: PlistReading) throws(StorageError) {
    if let status = reading.status {
      guard status.isRegular, reading.obstacle == nil else { return }
      let draftPath = try reading.draft.map { number throws(StorageError) in
        self.draftPath(number, of: try target())
      }
      let file = try disk.open(draftPath ?? path, .read)
      defer { disk.close(file) }
      do throws(StorageError) {
        try disk.synchronize(file)  // Durability: content before the journal based on it
      } catch {
        // Where nothing can be written, there is nothing to make durable.
        if ![SystemCode.readOnly, SystemCode.invalid].contains(error.code) { throw error }
      }
    }
    // Durability: name before the journal based on it
    try disk.synchronizeNames(in: Path.directory(of: try target()))
  }

  /// Gives the draft the file's name, if the file is still `old`.
  /// - Parameter keepsOld: whether the old file is kept under another name.
  func commit(
    _ draft: PlistDraft, replacing old: FileStatus?, keepsOld: Bool
  ) throws(StorageError) -> Outcome {
    let outcome =
      if let old { try replace(old, by: draft, keepsOld) } else { try name(draft) }
    if outcome != .edited {
      // Durability: name before journal
      try disk.synchronizeDirectory(Path.directory(of: draft.target))
    }
    return outcome
  }

  private func replace(
    _ old: FileStatus, by draft: PlistDraft, _ keepsOld: Bool
  ) throws(StorageError) -> Outcome {
    guard keepsOld, old.isRegular else {
      return try exchange(draft, with: old, keptAt: nil, movesAside: keepsOld)
    }
    guard try isStill(old, at: draft.target) else { return try discard(draft) }
    // Before it loses its name: a call that fails after that, or death, would leave it under that
    // of a draft, which the next one removes.
    let kept = try DatedName.find(besides: draft.target) { name throws(StorageError) in
      try disk.keep(draft.target, at: name, size: old.size)
    }
    guard try isStill(old, at: draft.target) else {
      try disk.remove(kept)
      return try discard(draft)
    }
    let outcome = try exchange(draft, with: old, keptAt: kept)
    if outcome == .edited { try disk.remove(kept) }
    return outcome
  }

  private func name(_ draft: PlistDraft) throws(StorageError) -> Outcome {
    do throws(StorageError) {
      try disk.rename(draft.path, toFree: draft.target)
      return .replaced(keptAt: nil)
    } catch {
      guard error.code == SystemCode.exists else { throw error }
      return try discard(draft)
    }
  }

  /// - Parameter kept: the second name of the old file.
  /// - Parameter movesAside: whether it is given another one after the exchange.
  private func exchange(
    _ draft: PlistDraft, with old: FileStatus, keptAt kept: String?, movesAside: Bool = false
  ) throws(StorageError) -> Outcome {
    do throws(StorageError) {
      try disk.rename(draft.path, to: draft.target, .exchange)
    } catch {
      if error.code == SystemCode.noSuchFile { return try discard(draft) }
      guard error.isOfUnsupported else { throw error }
      if movesAside {
        try disk.remove(draft.path)
        throw StorageError(.write, draft.target, reason: "it is not a regular file; remove it")
      }
      return try replace(old, by: draft, keptAt: kept)
    }
    // The old file has the draft's name now. Is it the one that was read?
    guard let swapped = try disk.status(of: draft.path), swapped.isSameContent(as: old) else {
      return try giveBack(draft)
    }
    if movesAside {
      return .replaced(
        keptAt: try DatedName.find(besides: draft.target) { name throws(StorageError) in
          try disk.rename(draft.path, toFree: name)
        })
    }
    try disk.remove(draft.path)
    return .replaced(keptAt: kept)
  }

  /// Gives an edit its name back, which the draft took: the edit lies at the draft's path now.
  ///
  /// Somebody may edit the file once more meanwhile. So what loses the name is removed only if it
  /// is what was put there last, unchanged; otherwise it is newer, and gets the name in turn.
  private func giveBack(_ draft: PlistDraft) throws(StorageError) -> Outcome {
    var last = Content(draft.status, draft.identity)
    for _ in 0..<Self.editsMax {
      let edit = try content(at: draft.path)
      do throws(StorageError) {
        try disk.rename(draft.path, to: draft.target, .exchange)
      } catch {
        // Nothing has the name: whoever removed the file knew the newest content.
        if error.code == SystemCode.noSuchFile { return try discard(draft) }
        throw error
      }
      if try content(at: draft.path) == last { return try discard(draft) }
      guard let edit else { return .edited }
      last = edit
    }
    throw StorageError(
      .rename, draft.target,
      reason: "it is edited continuously; the newest edit may be at \(draft.path)")
  }

  private static let editsMax = 1_000

  /// Whether an edit lies at the draft's path, having lost its name to the announced file, and is
  /// to get that back.
  ///
  /// If the checkpoint was overtaken, what lies there is an edit: the base of the journal, the file
  /// that its records apply to. If not, it is an edit unless it is the base, which must be known.
  func hasTakenName(
    _ reading: PlistReading, as intent: CheckpointIntent, in header: JournalHeader
  ) throws(StorageError) -> Bool {
    guard intent.isOvertaken || header.knownBase != .unknown else { return false }
    let path = draftPath(intent.draft, of: try target())
    guard let status = try disk.status(of: path),
      intent.isOvertaken || !header.isBaseContent(status),
      let identity = try content(at: path)?.identity
    else { return false }
    return identity != reading.identity && (intent.isOvertaken || identity != header.knownBase)
  }

  /// Gives an edit back the name that the file in `reading` has taken from it.
  func giveBack(
    insteadOf reading: PlistReading, at number: PlistDraft.Number
  ) throws(StorageError) {
    guard let status = reading.status else { return }
    let target = try target()
    _ = try giveBack(
      PlistDraft(
        path: draftPath(number, of: target), target: target, number: number,
        identity: reading.identity, status: status))
    // Durability: the name that the edit has lost on the disk, too
    try disk.synchronizeDirectory(Path.directory(of: target))
  }

  /// A file and its content, which tells more than a time of modification.
  private struct Content: Equatable {
    let device: UInt64
    let number: UInt64
    let identity: PlistIdentity

    init(_ status: FileStatus, _ identity: PlistIdentity) {
      device = status.device
      number = status.number
      self.identity = identity
    }
  }

  private func content(at path: String) throws(StorageError) -> Content? {
    let file: FileID
    do throws(StorageError) {
      file = try disk.open(path, .read)
    } catch {
      if error.code == SystemCode.noSuchFile { return nil }
      throw error
    }
    defer { disk.close(file) }
    let status = try disk.status(of: file)
    return Content(status, PlistIdentity(of: try disk.read(file, at: 0, count: status.size)))
  }

  /// For file systems that can't exchange two names in one step: an edit in the microseconds
  /// between the look and the rename is lost there.
  private func replace(
    _ old: FileStatus, by draft: PlistDraft, keptAt kept: String?
  ) throws(StorageError) -> Outcome {
    guard try isStill(old, at: draft.target) else { return try discard(draft) }
    try disk.rename(draft.path, to: draft.target, .replace)
    return .replaced(keptAt: kept)
  }

  private func isStill(_ old: FileStatus, at path: String) throws(StorageError) -> Bool {
    try disk.status(of: path)?.isSameContent(as: old) ?? false
  }

  private func discard(_ draft: PlistDraft) throws(StorageError) -> Outcome {
    try disk.remove(draft.path)
    return .edited
  }
}

extension FileStatus {
  /// Whether nobody has written to the file in between; a mere rename makes no difference.
  func isSameContent(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }
}
