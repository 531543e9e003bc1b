package import StrataStorage

/// Whether an administrator's files can have been written by an administrator only.
///
/// A file is what its directory says: whoever may write in a directory may exchange what is in it.
/// So all directories from the system directory to the file must pass, as must the journal, which
/// holds values, too. A link is refused, since where it leads others may rule.
package struct Trust: Sendable {
  /// Who counts as an administrator.
  package let owners: Set<UInt32>
  package let systemDirectory: String
  private let disk: SystemFileSystem

  /// The rule for these places: root, and the owner of a directory that replaces the system's.
  ///
  /// Where that can't be looked at, only root counts.
  package init(in places: Places, on disk: SystemFileSystem = SystemFileSystem()) {
    systemDirectory = places.systemDirectory
    self.disk = disk
    let owner = places.isSystemDirectoryReplaced ? Self.owner(of: systemDirectory, disk) : nil
    owners = [0, owner ?? 0]
  }

  /// Whether a file with this status, in a directory with that one, counts.
  package static func isTrusted(
    file: FileStatus, directory: FileStatus, owners: Set<UInt32>
  ) -> Bool {
    fault(in: file, owners, isFile: true) == nil && fault(in: directory, owners) == nil
  }

  /// Why these files, which must lie below the system directory, do not count; nothing when they
  /// do, or when there are none and nobody else could add one.
  package func distrust(of paths: StorePaths) -> Distrust? {
    let paths = paths.placed
    let folders = directories(to: paths.directory) + [paths.hidden]
    let parts = folders.map { ($0, false) } + [(paths.plist, true), (paths.journal, true)]
    for (path, isFile) in parts {
      guard let reason = fault(at: path, isFile: isFile) else { continue }
      return Distrust(plist: paths.plist, path: path, reason: reason)
    }
    return nil
  }

  /// From the system directory down to `directory`.
  private func directories(to directory: String) -> [String] {
    var directories = [directory]
    while let last = directories.last, last != systemDirectory, last != "/" {
      directories.append(Path.directory(of: last))
    }
    return directories.reversed()
  }

  private func fault(at path: String, isFile: Bool) -> Distrust.Reason? {
    do {
      // The system directory itself may be a link: who set it up chose what it leads to.
      if path != systemDirectory, try disk.resolve(path) != path { return .link }
      guard let status = try disk.status(of: path) else { return nil }
      return Self.fault(in: status, owners, isFile: isFile)
    } catch {
      return .unknown(error.description)
    }
  }

  private static func fault(
    in status: FileStatus, _ owners: Set<UInt32>, isFile: Bool = false
  ) -> Distrust.Reason? {
    if !owners.contains(status.owner.user) { return .foreignOwner(status.owner.user) }
    if status.mode & 0o022 != 0 { return .writableByOthers }
    return isFile && !status.isRegular ? .noFile : nil
  }

  private static func owner(of directory: String, _ disk: SystemFileSystem) -> UInt32? {
    do {
      return try disk.status(of: directory)?.owner.user
    } catch {
      // Then its files can't be looked at either, and each of them says why it is ignored.
      return nil
    }
  }
}
