/// Where the hidden directory is when other machines may share the directory of the domains.
///
/// What processes share in it - mapped words, locks, the kernel's news - are this machine's. So it
/// lies on this machine: in a directory that belongs to who may write the domain, under the path
/// of the domain's directory. The property list stays where it is; what other machines write to it
/// is an edit.
extension StorePaths {
  /// The same, with the hidden directory where it is on `disk`.
  func placed(on disk: any FileSystem) -> StorePaths {
    guard case .shared(let kind) = disk.kind(of: directory) else { return self }
    var placed = self
    placed.sharedKind = kind
    placed.hidden = Self.nowhere
    do throws(StorageError) {
      try placed.place(on: disk)
    } catch {}  // `Store.openJournal` says what that means.
    return placed
  }

  /// The same for the disk of this machine.
  package var placed: StorePaths { placed(on: SystemFileSystem()) }

  /// A path that leads to nothing, whoever makes what.
  private static let nowhere = "/dev/null/.strata"

  /// Whether there is a place where processes can share anything.
  var hasPlace: Bool { !Path.isSame(hidden, Self.nowhere) }

  private mutating func place(on disk: any FileSystem) throws(StorageError) {
    let owner = try owner(on: disk)
    for common in disk.commonDirectories {
      let kind = disk.kind(of: common)
      guard !kind.isShared, try disk.status(of: common) != nil else { continue }
      let place = Path.join(common, "strata-\(owner)")
      guard try disk.claim(place, for: owner) else { return }
      hidden = place + disk.realPath(of: directory) + "/.strata"
      isHiddenInMemory = kind == .memory
      return
    }
  }

  /// Whose the hidden directory is. File systems of the network may know other owners than this
  /// machine does: a user's own domains are that user's, whoever their directory belongs to.
  private func owner(on disk: any FileSystem) throws(StorageError) -> UInt32 {
    if audience == .user, disk.user != 0 { return disk.user }
    var path = directory
    while true {
      if let status = try disk.status(of: path) { return status.owner.user }
      if path == "/" || path == "." { return disk.user }
      path = Path.directory(of: path)
    }
  }
}
