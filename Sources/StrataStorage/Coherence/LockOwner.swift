/// This process among the writers of one directory: its open handle on the file `holders`, by which
/// it locks and wakes others.
final class LockOwner: Sendable {
  let path: String
  let status: FileStatus
  private let file: FileID
  private let disk: any FileSystem
  private let forks = ProcessEvents.forks

  /// Where the bytes begin that are locked to write a property list; one for each domain.
  private static let checkpointBytes: Int64 = 1 << 32
  /// Where those begin that are locked to replace a journal: see `JournalOpener.overwrite`.
  private static let replacingBytes: Int64 = 1 << 33

  init(_ paths: StorePaths, on disk: any FileSystem) throws(StorageError) {
    path = paths.lockFile
    self.disk = disk
    file = try disk.open(paths.lockFile, .make(mode: paths.fileMode))
    // Otherwise a child would keep its parent's locks for as long as it lives.
    disk.keepFromChildren(file)
    do {
      status = try disk.status(of: file)
    } catch {
      disk.closeKept(file)
      throw error
    }
  }

  deinit { if !isStale { disk.closeKept(file) } }

  /// Whether this is the parent's: a child of `fork` is another process.
  var isStale: Bool { forks != ProcessEvents.forks }

  /// Wakes whoever watches the directory.
  func signal() { disk.signal(file) }

  /// Gets the right to checkpoint the domain; false if another process has it.
  func beginCheckpoint(of name: String) throws(StorageError) -> Bool {
    try disk.lockByte(file, Self.checkpointBytes + Self.sum(of: name))
  }

  func endCheckpoint(of name: String) {
    disk.unlockByte(file, Self.checkpointBytes + Self.sum(of: name))
  }

  /// The same for the right to replace a journal that can't be used.
  func beginReplacing(of name: String) throws(StorageError) -> Bool {
    try disk.lockByte(file, Self.replacingBytes + Self.sum(of: name))
  }

  func endReplacing(of name: String) {
    disk.unlockByte(file, Self.replacingBytes + Self.sum(of: name))
  }

  private static func sum(of name: String) -> Int64 { Int64(checksum32([UInt8](name.utf8))) }
}
