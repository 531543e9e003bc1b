import CStrata

/// Putting a journal in the place of one that can't be used. The lock must be held.
extension Store {
  enum Taking {
    /// Another process was faster: the other journal had lost its name before.
    case late
    /// Where the other one is kept, if it is.
    case taken(keptAt: String?)
  }

  /// Gives a draft the name of a journal that can't be used.
  /// - Parameter keeping: whether that one gets a dated name; else it is removed.
  func take(
    the damaged: FileStatus, by draft: JournalDraft, keeping: Bool
  ) throws(StorageError) -> Taking {
    do throws(StorageError) {
      try disk.rename(draft.path, to: paths.journal, .exchange)
    } catch {
      do throws(StorageError) {
        guard error.isOfUnsupported else { throw error }
        return try overwrite(the: damaged, by: draft, keeping: keeping)
      } catch {
        try draft.discard()  // on a full disk, its space is wanted
        throw error
      }
    }
    guard let now = try disk.status(of: draft.path), now.isSameFile(as: damaged) else {
      // What another process made has its name back. Who opened ours meanwhile finds that it lost
      // it.
      try disk.rename(draft.path, to: paths.journal, .exchange)
      try draft.discard()
      return .late
    }
    guard keeping else {
      try disk.remove(draft.path)
      return .taken(keptAt: nil)
    }
    let kept = try withDatedName { path throws(StorageError) in
      try disk.rename(draft.path, toFree: path)
    }
    return .taken(keptAt: kept)
  }

  /// The same where names can't be traded: nothing loses its name before it has another one, and
  /// what is to take its place is durable.
  ///
  /// Locking: what has the name by then may have been put there by another process that did this,
  /// and others may have appended to it. So one at a time looks and renames.
  private func overwrite(
    the damaged: FileStatus, by draft: JournalDraft, keeping: Bool
  ) throws(StorageError) -> Taking {
    let lockOwner = try lockOwnerInPlace()
    try waitToReplace(lockOwner)
    defer { lockOwner.endReplacing(of: paths.name) }
    guard try isStill(damaged) else { return try beLate(draft) }
    var kept: String?
    if keeping {
      let path = try withDatedName { path throws(StorageError) in
        try disk.keep(paths.journal, at: path, size: min(damaged.size, disk.journalSizeMax))
      }
      guard try isStill(damaged) else {
        try disk.remove(path)
        return try beLate(draft)
      }
      kept = path
    }
    try disk.rename(draft.path, to: paths.journal, .replace)
    return .taken(keptAt: kept)
  }

  private func isStill(_ damaged: FileStatus) throws(StorageError) -> Bool {
    try disk.status(of: paths.journal)?.isSameFile(as: damaged) ?? false
  }

  private func beLate(_ draft: JournalDraft) throws(StorageError) -> Taking {
    try draft.discard()
    return .late
  }

  private func waitToReplace(_ lockOwner: LockOwner) throws(StorageError) {
    let end = strata_coarse_now() + Self.replacingPatience
    while try !lockOwner.beginReplacing(of: paths.name) {
      guard strata_coarse_now() < end else {
        throw StorageError(
          .lock, paths.journal, reason: "another process replaces it and does not finish")
      }
      Alarm().sleep(0, atMost: Self.replacingPause)
    }
  }

  private static let replacingPatience: Int64 = 20_000_000
  private static let replacingPause: Int64 = 1_000_000

  /// Has `give` give a journal that is of no use any more a dated name.
  private func withDatedName(
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
