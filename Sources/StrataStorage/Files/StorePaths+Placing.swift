/// Where the hidden directory is, if other machines may share the domain's directory.
extension StorePaths {
  /// The same paths, with the hidden directory where it must be on `disk`. Makes nothing.
  func placed(on disk: any FileSystem) -> StorePaths {
    guard case .shared(let kind) = disk.kind(of: directory) else { return self }
    let all = disk.commonDirectories
    let common = all.first { isUsable($0, disk) } ?? all.first ?? "/"
    let owner = owner(on: disk)
    let path = Path.join(common, "strata-\(owner)")
    let place = MachinePlace(
      path: path, owner: owner, isInMemory: disk.kind(of: common) == .memory, kind: kind)
    return StorePaths(
      self, hidden: path + Self.hidden(in: disk.realPath(of: directory)), at: place)
  }

  /// The same for the disk of this machine.
  package var placed: StorePaths { placed(on: SystemFileSystem()) }

  /// The hidden directory of the domains in `directory`, on the disk of this machine.
  package static func hiddenDirectory(of directory: String) -> String {
    StorePaths(identifier: "", in: directory).placed.hidden
  }

  private func isUsable(_ directory: String, _ disk: any FileSystem) -> Bool {
    do throws(StorageError) {
      return try disk.status(of: directory) != nil && !disk.kind(of: directory).isShared
    } catch {
      return false
    }
  }

  /// Whose place it is. Network file systems may know other owners than this machine does: a user's
  /// own domains are that user's, whoever their directory belongs to.
  private func owner(on disk: any FileSystem) -> UInt32 {
    if audience == .user, disk.user != 0 { return disk.user }
    var path = directory
    do throws(StorageError) {
      while true {
        if let status = try disk.status(of: path) { return status.owner.user }
        if Path.isTop(path) { break }
        path = Path.directory(of: path)
      }
    } catch {}  // Whoever may not look there can't write there either.
    return disk.user
  }
}
