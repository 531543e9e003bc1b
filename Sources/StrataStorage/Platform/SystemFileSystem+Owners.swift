import CStrata
import Glibc

/// Whom new files and directories belong to: what root makes in the directory of another user is
/// that user's, who could not use it otherwise.
extension SystemFileSystem {
  /// Opens a file, which is made if there is none; negative, with the reason in `errno`, when it
  /// can't be.
  func make(_ path: String, _ flags: Int32, _ mode: UInt32) throws(StorageError) -> Int32 {
    guard user == 0 else { return strata_open(path, flags | O_CREAT, mode) }
    // Only what is new: an old name may lead to a file that is not that user's.
    let file = strata_open(path, flags | O_CREAT | O_EXCL, mode)
    guard file >= 0 else {
      return errno == EEXIST ? strata_open(path, flags | O_CREAT, mode) : file
    }
    do throws(StorageError) {
      try give(file, path)
      return file
    } catch {
      _ = Glibc.close(file)
      throw error
    }
  }

  /// Gives a directory that this process made to whom the one around it belongs.
  func giveToOwner(_ path: String) throws(StorageError) {
    guard user == 0 else { return }
    let directory = strata_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    guard directory >= 0 else { throw failure(.open, path) }
    defer { _ = Glibc.close(directory) }
    try give(directory, path)
  }

  private func give(_ file: Int32, _ path: String) throws(StorageError) {
    guard let owner = try status(of: Path.directory(of: path))?.owner, owner.user != 0 else {
      return
    }
    guard fchown(file, owner.user, owner.group) == 0 || errno == EPERM else {
      throw failure(.setAttributes, path)
    }
  }
}
