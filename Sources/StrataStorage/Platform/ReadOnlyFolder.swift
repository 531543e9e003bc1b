import CStrata
import StrataSystem

/// A directory whose files are read and no others: no link in it is followed, and no name leads out
/// of it.
package struct ReadOnlyFolder: ~Copyable {
  package let path: String
  private let descriptor: Int32

  /// Opens a directory; a link to one may have its name.
  package init(_ path: String) throws(StorageError) {
    self.path = path
    descriptor = strata_open(path, O_RDONLY | O_DIRECTORY, 0)
    if descriptor < 0 { throw StorageError(.open, path, code: errno) }
  }

  private init(_ name: String, in folder: borrowing ReadOnlyFolder) throws(StorageError) {
    path = Path.join(folder.path, name)
    descriptor = strata_open_at(folder.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    if descriptor < 0 { throw Self.refusal(path) }
  }

  deinit { _ = StrataSystem.close(descriptor) }

  /// A directory in it.
  package func folder(_ name: String) throws(StorageError) -> ReadOnlyFolder {
    try Self.check(name, in: path)
    return try ReadOnlyFolder(name, in: self)
  }

  package func names() throws(StorageError) -> [String] {
    try SystemFileSystem.names(in: descriptor)
  }

  /// The bytes of a regular file in it; nil if there is none of this name.
  package func bytes(
    of name: String, atMost sizeMax: Int
  ) throws(StorageError) -> [UInt8]? {
    let place = Path.join(path, name)
    try Self.check(name, in: path)
    // Does not wait for the other end of a pipe.
    let flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY
    let file = strata_open_at(descriptor, name, flags, 0)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw Self.refusal(place) }
    defer { _ = StrataSystem.close(file) }
    let disk = SystemFileSystem()
    let status = try disk.status(of: FileID(rawValue: file))
    guard status.isRegular else {
      throw StorageError(.read, place, reason: "it is not a regular file")
    }
    guard status.size <= sizeMax else {
      throw StorageError(
        .read, place, reason: "it has \(status.size) bytes, more than the limit of \(sizeMax)")
    }
    return try disk.read(FileID(rawValue: file), at: 0, count: status.size)
  }

  private static func check(_ name: String, in path: String) throws(StorageError) {
    let isPlain =
      ![".", "..", ""].contains(name) && !name.utf8.contains(0)
      && !name.utf8.contains(UInt8(ascii: "/"))
    if isPlain { return }
    throw StorageError(
      .open, path, reason: "\(name.debugDescription) is not the name of a file in this directory")
  }

  private static func refusal(_ path: String) -> StorageError {
    let isLink = errno == ELOOP
    return StorageError(
      .open, path, code: errno, reason: isLink ? "it is a link, which is not followed" : nil)
  }
}
