import StrataPropertyList

/// Replacing the file.
extension PlistFile {
  /// How a draft fared.
  enum Outcome: Hashable, Sendable {
    case replaced
    /// Someone wrote the file since it was read; theirs stands, the draft is gone.
    case edited
  }

  /// The bytes of a domain in `format`, or in the binary one where that would lose something.
  static func encode(
    _ values: [String: PropertyListValue], as format: PropertyListFormat
  ) -> [UInt8] {
    if format == .xml, !values.values.contains(where: losesInXML) {
      do { return try PropertyList.encode(.dictionary(values), as: .xml) } catch {}
    }
    return CheckedPlist.encode(values.map { (key: $0.key, value: $0.value) })
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
      // Whoever made the file stricter, or gave it to someone, meant it; its owner reads it.
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

  /// Has the file as it was read outlive a power cut, or its absence.
  func makeDurable(_ reading: PlistReading) throws(StorageError) {
    if let status = reading.status {
      guard status.isRegular, reading.obstacle == nil else { return }
      let place = try reading.draft.map { number throws(StorageError) in
        draftPath(number, of: try target())
      }
      let file = try disk.open(place ?? path, .read)
      defer { disk.close(file) }
      do throws(StorageError) {
        try disk.synchronize(file)  // Durability: content before the journal that stands on it
      } catch {
        // Where nothing can be written, nothing is to be made durable.
        if ![SystemCode.readOnly, SystemCode.invalid].contains(error.code) { throw error }
      }
    }
    // Durability: name before the journal that stands on it
    try disk.synchronizeNames(in: Path.directory(of: try target()))
  }

  /// Gives the draft its name, if the file is still `old`.
  /// - Parameter keepingOldAt: where the old file goes; nil when it is not needed any more.
  func commit(
    _ draft: PlistDraft, replacing old: FileStatus?, keepingOldAt kept: String?
  ) throws(StorageError) -> Outcome {
    let outcome =
      if let old { try exchange(draft, with: old, keepingOldAt: kept) } else { try name(draft) }
    if outcome == .replaced {
      // Durability: name before journal
      try disk.synchronizeDirectory(Path.directory(of: draft.target))
    }
    return outcome
  }

  private func name(_ draft: PlistDraft) throws(StorageError) -> Outcome {
    do throws(StorageError) {
      try disk.rename(draft.path, toFree: draft.target)
      return .replaced
    } catch {
      guard error.code == SystemCode.exists else { throw error }
      return try discard(draft)
    }
  }

  private func exchange(
    _ draft: PlistDraft, with old: FileStatus, keepingOldAt kept: String?
  ) throws(StorageError) -> Outcome {
    do throws(StorageError) {
      try disk.rename(draft.path, to: draft.target, .exchange)
    } catch {
      if error.code == SystemCode.noSuchFile { return try discard(draft) }
      guard error.isOfUnsupported else { throw error }
      return try replace(old, by: draft, keepingOldAt: kept)
    }
    // The old file has the draft's name now. Is it the one that was read?
    guard let swapped = try disk.status(of: draft.path), swapped.isSameContent(as: old) else {
      return try giveBack(draft)
    }
    if let kept {
      try disk.rename(draft.path, toFree: kept)
    } else {
      try disk.remove(draft.path)
    }
    return .replaced
  }

  /// The draft took the name of an edit, which lies at the draft's path now and gets its name
  /// back.
  ///
  /// Somebody may edit the file once more meanwhile. So what loses the name is removed only if it
  /// is what was put there last, unchanged; else it is newer than that, and gets the name in turn.
  private func giveBack(_ draft: PlistDraft) throws(StorageError) -> Outcome {
    var last = Content(draft.status, draft.identity)
    for _ in 0..<Self.editsMax {
      let edit = try content(at: draft.path)
      do throws(StorageError) {
        try disk.rename(draft.path, to: draft.target, .exchange)
      } catch {
        // Nothing has the name: whoever took that away knew the newest content.
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

  /// Whether what lost its name to the file that was read, as it was announced in a journal, lies
  /// at the draft's path and is an edit, which is to have its name back: it is what the journal
  /// stands on if the checkpoint was overtaken, else anything but that, if that is known.
  func hasTakenName(
    _ reading: PlistReading, as intent: CheckpointIntent, in header: JournalHeader
  ) throws(StorageError) -> Bool {
    guard intent.isOvertaken || header.base != .unknown else { return false }
    let path = draftPath(intent.draft, of: try target())
    guard let status = try disk.status(of: path),
      intent.isOvertaken || !header.isBaseContent(status),
      let identity = try content(at: path)?.identity
    else { return false }
    return identity != reading.identity && (intent.isOvertaken || identity != header.base)
  }

  /// Gives an edit the name back that `reading` has taken from it.
  func giveBack(
    insteadOf reading: PlistReading, at number: PlistDraft.Number
  ) throws(StorageError) {
    guard let status = reading.status else { return }
    let target = try target()
    _ = try giveBack(
      PlistDraft(
        path: draftPath(number, of: target), target: target, number: number,
        identity: reading.identity, status: status))
    // Durability: what the edit has lost on the disk
    try disk.synchronizeDirectory(Path.directory(of: target))
  }

  /// A file and what is in it, which tells more than a time of modification.
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
    guard let status = try disk.status(of: path) else { return nil }
    let file = try disk.open(path, .read)
    defer { disk.close(file) }
    let bytes = try disk.read(file, at: 0, count: status.size)
    return Content(status, PlistIdentity(of: bytes))
  }

  /// For file systems whose names can't be traded at one moment: an edit in the microseconds
  /// between look and rename is lost there.
  private func replace(
    _ old: FileStatus, by draft: PlistDraft, keepingOldAt kept: String?
  ) throws(StorageError) -> Outcome {
    guard try isStill(old, at: draft.target) else { return try discard(draft) }
    if let kept {
      guard old.isRegular else {
        try disk.remove(draft.path)
        throw StorageError(.write, draft.target, reason: "it is not a regular file; remove it")
      }
      // Without the old one, and before the new one has the name, there would be no file at all.
      try disk.keep(draft.target, at: kept, size: old.size)
      guard try isStill(old, at: draft.target) else {
        try disk.remove(kept)
        return try discard(draft)
      }
    }
    try disk.rename(draft.path, to: draft.target, .replace)
    return .replaced
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
  /// Whether nobody wrote to the file in between; a rename alone changes nothing here.
  func isSameContent(as other: FileStatus) -> Bool {
    isSameFile(as: other) && size == other.size && modified == other.modified
  }
}
