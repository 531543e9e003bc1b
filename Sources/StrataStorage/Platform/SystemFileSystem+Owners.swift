import CStrata
import StrataSystem

/// Whom new files and directories belong to: what root makes in the directory of another user
/// belongs to that user, who could not use it otherwise; and what is made in a group's directory is
/// for the group.
extension SystemFileSystem {
  @inline(never)
  package func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    try at(path) { spot throws(StorageError) in
      guard mkdirat(spot.directory, spot.name, mode) == 0 else {
        if errno != EEXIST { throw failure(.makeDirectory, path) }
        return
      }
      if let around = spot.around { try settle(spot, in: around, mode) }
    }
  }

  /// Gives a directory that this process has just made its proper owner and mode.
  private func settle(_ spot: Spot, in around: stat, _ mode: UInt32) throws(StorageError) {
    guard user == 0 || mode & 0o020 != 0 else { return }
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    let directory = spot.open(flags)
    guard directory >= 0 else { throw failure(.open, spot.path) }
    defer { _ = StrataSystem.close(directory) }
    var made = stat()
    // Somebody may have replaced it: if the replacement is empty, nothing is lost.
    guard fstat(directory, &made) == 0, made.st_uid == user, try Self.names(in: directory).isEmpty
    else { throw StorageError(.setAttributes, spot.path, reason: "it was replaced meanwhile") }
    try give(directory, to: around, spot.path)
    try share(directory, with: around, mode, spot.path)
  }

  /// Whatever this process's umask is.
  func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError) {
    let directory = try openToList(path, .setAttributes)
    defer { _ = StrataSystem.close(directory) }
    guard fchmod(directory, mode) == 0 else { throw failure(.setAttributes, path) }
  }

  func give(_ file: Int32, to around: stat, _ path: String) throws(StorageError) {
    guard user == 0, around.st_uid != 0 else { return }
    var raw = stat()
    guard fstat(file, &raw) == 0 else { throw failure(.status, path) }
    // Some file systems know only one owner.
    if raw.st_uid == around.st_uid { return }
    guard fchown(file, around.st_uid, around.st_gid) == 0 else {
      throw failure(.setAttributes, path)
    }
  }

  /// Lets a group use what is made in its directory, whatever this process's umask is.
  func share(
    _ file: Int32, with around: stat, _ mode: UInt32, _ path: String
  ) throws(StorageError) {
    var raw = stat()
    guard fstat(file, &raw) == 0 else { throw failure(.status, path) }
    let rights = FileStatus(around).groupRights
    guard rights != 0, raw.st_gid == around.st_gid, !raw.isDirectory || mode & 0o020 != 0
    else { return }
    let wanted = mode | rights | (raw.isDirectory ? 0o2000 : 0)
    guard fchmod(file, wanted) == 0 else { throw failure(.setAttributes, path) }
  }
}

extension FileStatus {
  /// The rights that a directory with this status gives its group to the files in it: with the
  /// group's bits and the set-group-ID bit a person says that files are shared.
  var groupRights: UInt32 {
    let isForGroup = mode & 0o2020 == 0o2020 && mode & 0o1000 == 0
    return isForGroup ? 0o060 : 0
  }

  /// The same for a directory in it.
  var directoryGroupRights: UInt32 { groupRights == 0 ? 0 : 0o2070 }
}
