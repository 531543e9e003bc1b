import CStrata
import StrataSystem

/// Opening files, and distinguishing those that others planted from those expected there.
extension SystemFileSystem {
  @inline(never)
  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID {
    let descriptor =
      switch access {
      case .read: try openFollowing(path)
      case .readWrite: try at(path) { spot throws(StorageError) in try openExisting(spot, O_RDWR) }
      case .make(let mode):
        try at(path) { spot throws(StorageError) in try make(spot, mode) }
      case .create(let mode):
        try at(path) { spot throws(StorageError) in try makeNew(spot, mode) }
      case .replace(let mode):
        try at(path) { spot throws(StorageError) in try makeAnew(spot, mode) }
      }
    return FileID(rawValue: descriptor)
  }

  @inline(never)
  func openIfThere(_ path: String) throws(StorageError) -> FileID? {
    do throws(StorageError) {
      let file = try at(path) { spot throws(StorageError) in try openIfThere(spot, O_RDWR) }
      return file.map { FileID(rawValue: $0) }
    } catch {
      if Self.isMissing(error.code) { return nil }  // a directory on the way
      throw error
    }
  }

  /// Opens a file that is no domain's: whoever named it also chose where links lead.
  package func openAny(_ path: String) throws(StorageError) -> FileID {
    let descriptor = path.withCString { strata_open($0, O_RDONLY | O_NONBLOCK, 0) }
    guard descriptor >= 0 else { throw failure(.open, path) }
    return FileID(rawValue: descriptor)
  }

  /// Opens what a person named, whatever it is; waits for the other end of a pipe.
  package func openNamed(_ path: String, _ access: Int32) throws(StorageError) -> Int32 {
    try following(path, access) { spot throws(StorageError) in
      let file = spot.open(access | O_NOFOLLOW | O_NOCTTY)
      guard file >= 0 else { throw refusal(spot) }
      return file
    }
  }

  private func openFollowing(_ path: String) throws(StorageError) -> Int32 {
    try following(path, O_RDONLY | O_NONBLOCK) { spot throws(StorageError) in
      try openExisting(spot, O_RDONLY)
    }
  }

  private func following(
    _ path: String, _ access: Int32, _ open: (Spot) throws(StorageError) -> Int32
  ) throws(StorageError) -> Int32 {
    var path = path
    for _ in 0..<Path.linksMax {
      do throws(StorageError) {
        return try at(path, open)
      } catch {
        guard error.code == ELOOP, let target = try destination(of: path) else { throw error }
        if isOfKernel(path) {
          let file = strata_open(path, access | O_NOCTTY, 0)
          guard file >= 0 else { throw failure(.open, path) }
          return file
        }
        path = target
      }
    }
    throw StorageError(.open, path, code: ELOOP)
  }

  /// How often to open a file that is exchanged while it is examined.
  private static let looksMax = 100

  private func openExisting(_ spot: Spot, _ access: Int32) throws(StorageError) -> Int32 {
    if let file = try openIfThere(spot, access) { return file }
    throw refusal(spot)
  }

  /// Nil, with `errno` for why, if there is nothing.
  private func openIfThere(_ spot: Spot, _ access: Int32) throws(StorageError) -> Int32? {
    // Neither waits for the writer of a named pipe, nor follows a link.
    let flags = access | O_NONBLOCK | O_NOFOLLOW
    for _ in 0..<Self.looksMax {
      let file = spot.open(flags)
      guard file >= 0 else {
        if Self.isMissing(errno) { return nil }
        throw refusal(spot)
      }
      do throws(StorageError) {
        if try isRight(file, spot) { return file }
      } catch {
        _ = StrataSystem.close(file)
        throw error
      }
      _ = StrataSystem.close(file)
    }
    throw StorageError(.open, spot.path, reason: "it changes faster than it can be examined")
  }

  private func refusal(_ spot: Spot) -> StorageError {
    let reason = errno == ELOOP ? "it is a link; remove it, or put a file in its place" : nil
    return StorageError(.open, spot.path, code: errno, reason: reason)
  }

  private func make(_ spot: Spot, _ mode: UInt32) throws(StorageError) -> Int32 {
    if spot.around == nil {
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK
      let file = spot.open(flags, mode: mode)
      guard file >= 0 else { throw refusal(spot) }
      return file
    }
    for _ in 0..<Self.looksMax {
      do throws(StorageError) {
        return try openExisting(spot, O_RDWR)
      } catch {
        if error.code != ENOENT { throw error }
      }
      do throws(StorageError) {
        return try makeNew(spot, mode)
      } catch {
        if error.code != EEXIST { throw error }
      }
    }
    throw StorageError(.open, spot.path, reason: "it changes faster than it can be examined")
  }

  /// Makes a new file. What a process that died left there, or what somebody planted, only loses
  /// this name.
  private func makeAnew(_ spot: Spot, _ mode: UInt32) throws(StorageError) -> Int32 {
    for _ in 0..<Self.looksMax {
      do throws(StorageError) {
        return try makeNew(spot, mode)
      } catch {
        if error.code != EEXIST { throw error }
      }
      guard unlinkat(spot.directory, spot.name, 0) == 0 || errno == ENOENT else {
        throw failure(.remove, spot.path)
      }
    }
    throw StorageError(.open, spot.path, reason: "it changes faster than it can be made")
  }

  private func makeNew(_ spot: Spot, _ mode: UInt32) throws(StorageError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
    let file = spot.open(flags, mode: mode)
    guard file >= 0 else { throw failure(.open, spot.path) }
    guard let around = spot.around else { return file }
    do throws(StorageError) {
      try give(file, to: around, spot.path)
      try share(file, with: around, mode, spot.path)
      return file
    } catch {
      _ = StrataSystem.close(file)
      _ = unlinkat(spot.directory, spot.name, 0)
      throw error
    }
  }

  // -- What is there already

  /// Whether the open file still has its name.
  /// - Throws: if it is not a file that a process of ours can have made there.
  private func isRight(_ file: Int32, _ spot: Spot) throws(StorageError) -> Bool {
    guard let around = spot.around else { return true }
    var opened = stat()
    var named = stat()
    guard fstat(file, &opened) == 0 else { throw failure(.status, spot.path) }
    // Both from one call: that it has this name, and how many names it has.
    guard fstatat(spot.directory, spot.name, &named, AT_SYMLINK_NOFOLLOW) == 0 else {
      if errno == ENOENT { return false }
      throw failure(.status, spot.path)
    }
    guard named.st_ino == opened.st_ino, named.st_dev == opened.st_dev else { return false }
    var isElsewhere = false
    if named.st_nlink > 1 {
      isElsewhere = try Self.countNames(of: named, in: spot) != named.st_nlink
      guard fstat(file, &opened) == 0 else { throw failure(.status, spot.path) }
      // One of the names was added or removed during the count.
      if opened.st_nlink != named.st_nlink { return false }
    }
    if let fault = fault(in: named, around, isElsewhere: isElsewhere) {
      throw StorageError(.open, spot.path, reason: fault)
    }
    return true
  }

  /// How many names a file has in the directory: where it gets a new name in two steps, it has both
  /// for a moment (see `rename(_:toFree:)`).
  private static func countNames(of file: stat, in spot: Spot) throws(StorageError) -> nlink_t {
    let directory = strata_open_at(spot.directory, ".", O_RDONLY | O_DIRECTORY, 0)
    guard directory >= 0 else { return 0 }
    defer { _ = StrataSystem.close(directory) }
    var count: nlink_t = 0
    for name in try names(in: directory) {
      var other = stat()
      guard fstatat(directory, name, &other, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if other.st_ino == file.st_ino, other.st_dev == file.st_dev { count += 1 }
    }
    return count
  }

  /// What is wrong with a file, in a directory where others have a say.
  /// - Parameter isElsewhere: whether it has names in other directories.
  private func fault(in file: stat, _ around: stat, isElsewhere: Bool) -> String? {
    guard file.isRegular else { return "it is not a regular file; remove it" }
    if isElsewhere { return "it is a file with another hard link; replace it with a copy" }
    if isRight(owner: file, around) { return nil }
    return "it belongs to user \(file.st_uid), but its directory to user \(around.st_uid); "
      + "run chown \(around.st_uid), or remove it"
  }

  /// Root gives what it makes in another user's directory to that user, so a file of root's own was
  /// moved there by that user. Anyone else's own files are right everywhere.
  private func isRight(owner file: stat, _ around: stat) -> Bool {
    if file.st_uid == around.st_uid { return true }
    if user == 0 { return false }
    return file.st_uid == user || file.st_uid == 0 && trusts(around.st_uid)
      || FileStatus(around).groupRights != 0 && file.st_gid == around.st_gid
  }
}
