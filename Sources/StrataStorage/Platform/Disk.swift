/// The disk on which the targets above this one keep files of their own, other than domains: the
/// real one, or one of the tests that fails and dies.
package struct Disk: Sendable {
  let fileSystem: any FileSystem

  init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

  /// The real one.
  package init(_ system: SystemFileSystem = SystemFileSystem()) { fileSystem = system }

  /// The status of what a path leads to, with links followed; nil if there is nothing.
  package func status(of path: String) throws(StorageError) -> FileStatus? {
    try fileSystem.status(of: path)
  }

  /// Where a path's symbolic links end; the path itself if it is no link.
  package func resolve(_ path: String) throws(StorageError) -> String {
    try fileSystem.resolve(path)
  }

  package func names(in directory: String) throws(StorageError) -> [String] {
    try fileSystem.names(in: directory)
  }

  /// Makes a directory if it is missing, and its name durable in any case: who made it may have
  /// died before, and all that is made durable in it would be lost with it.
  package func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    if try status(of: path) == nil { try fileSystem.makeDirectory(path, mode: mode) }
    try fileSystem.synchronizeNames(in: Path.directory(of: path))  // Durability: the name
  }

  package func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError) {
    try fileSystem.setMode(ofDirectory: path, mode)
  }

  /// Removes a file, though not for good; does nothing if it is missing.
  package func remove(_ path: String) throws(StorageError) { try fileSystem.remove(path) }
}
