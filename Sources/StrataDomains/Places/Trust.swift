package import StrataStorage

/// Decides whether only an administrator can have written an administrator's files.
///
/// A file is only as trustworthy as its directory: anyone who may write to a directory can replace
/// what is in it. So every directory from the system directory down to the file must pass, and so
/// must the journal, which also holds values. Links are rejected, since others may control their
/// targets.
package struct Trust: Sendable {
  /// Who counts as an administrator.
  package let owners: Set<UInt32>
  package let systemDirectory: String
  private let disk: Disk
  /// Why it is not known who counts.
  private let obstacle: StorageError?

  /// The rule for these places: root, and the owner of a directory that replaces the system's.
  package init(in places: Places, on disk: SystemFileSystem = SystemFileSystem()) {
    self.init(in: places, on: Disk(disk))
  }

  /// The same on any disk.
  package init(in places: Places, on disk: Disk) {
    systemDirectory = places.systemDirectory
    self.disk = disk
    do throws(StorageError) {
      let status = places.isSystemDirectoryReplaced ? try disk.status(of: systemDirectory) : nil
      owners = [0, status?.owner.user ?? 0]
      obstacle = nil
    } catch {
      owners = [0]
      obstacle = error
    }
  }

  /// Whether a file with this status counts, in a directory with that status.
  package static func isTrusted(
    file: FileStatus, directory: FileStatus, owners: Set<UInt32>
  ) -> Bool {
    fault(in: file, owners, isFile: true) == nil && fault(in: directory, owners) == nil
  }

  /// Why these files, which must lie below the system directory, are ignored; nil if they count, or
  /// if there are none and nobody else could add one.
  package func distrust(of paths: StorePaths) -> Distrust? {
    if let obstacle {
      return Distrust(plist: paths.plist, path: systemDirectory, reason: .unknown(obstacle))
    }
    let paths = paths.placed
    let folders = directories(to: paths.directory) + [paths.hidden]
    let parts = folders.map { ($0, false) } + [(paths.plist, true), (paths.journal, true)]
    for (path, isFile) in parts {
      guard let reason = fault(at: path, isFile: isFile) else { continue }
      return Distrust(plist: paths.plist, path: path, reason: reason)
    }
    return nil
  }

  /// The same as a text; throws if it can't be told at the moment.
  package func refusal(of paths: StorePaths) throws(StorageError) -> String? {
    guard let distrust = distrust(of: paths) else { return nil }
    if case .unknown(let error) = distrust.reason, error.isOfMoment { throw error }
    return distrust.description
  }

  /// The directories from the system directory down to `directory`.
  private func directories(to directory: String) -> [String] {
    var directories = [directory]
    while let last = directories.last, last != systemDirectory, last != "/" {
      directories.append(Path.directory(of: last))
    }
    return directories.reversed()
  }

  private func fault(at path: String, isFile: Bool) -> Distrust.Reason? {
    do throws(StorageError) {
      // The system directory itself may be a link: its owner chose the target.
      if path != systemDirectory, try disk.resolve(path) != path { return .link }
      guard let status = try disk.status(of: path) else { return nil }
      return Self.fault(in: status, owners, isFile: isFile)
    } catch {
      return .unknown(error)
    }
  }

  private static func fault(
    in status: FileStatus, _ owners: Set<UInt32>, isFile: Bool = false
  ) -> Distrust.Reason? {
    if !owners.contains(status.owner.user) { return .foreignOwner(status.owner.user) }
    if status.mode & 0o022 != 0 { return .writableByOthers }
    return isFile && !status.isRegular ? .noFile : nil
  }
}
