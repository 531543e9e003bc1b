/// Operations that take one step where the file system can do that, and several elsewhere.
extension FileSystem {
  /// Gives a file a name that is free, in place of the one that it has.
  ///
  /// Where that takes two steps, the file has both names in between, and keeps both if the process
  /// dies then. Where a file can't have two names either, a file that gets the new name between the
  /// look and the rename is lost.
  func rename(_ old: String, toFree new: String) throws(StorageError) {
    do throws(StorageError) {
      return try rename(old, to: new, .refuse)
    } catch {
      if !error.isOfUnsupported { throw error }
    }
    if try hasLinked(old, to: new) { return try remove(old) }
    try rename(old, to: new, .replace)
  }

  /// Keeps what a file holds under a second name, too, which must be free; durable.
  /// - Parameter size: how much of it is copied where a file can't have two names.
  func keep(_ path: String, at kept: String, size: Int) throws(StorageError) {
    if try !hasLinked(path, to: kept) { try copy(path, to: kept, size: size) }
    try synchronizeDirectory(Path.directory(of: kept))  // Durability: before the other name goes
  }

  private func hasLinked(_ old: String, to new: String) throws(StorageError) -> Bool {
    do throws(StorageError) {
      try link(old, to: new)
      return true
    } catch {
      if !error.isOfRefusedLink { throw error }
    }
    let isLink = try destination(of: new) != nil
    let isTaken = try status(of: new) != nil
    if isLink || isTaken { throw StorageError(.rename, new, code: SystemCode.exists) }
    return false
  }

  private func copy(_ path: String, to kept: String, size: Int) throws(StorageError) {
    let file = try open(path, .read)
    defer { close(file) }
    let bytes = try read(file, at: 0, count: size)
    let new = try open(kept, .create(mode: 0o600))
    defer { close(new) }
    do throws(StorageError) {
      try write(bytes, to: new, at: 0)
      try synchronize(new)  // Durability: it is to be all that is left
    } catch {
      try remove(kept)  // on a full disk, its space is wanted
      throw error
    }
  }
}
