import Synchronization

/// How often a process wrote to a journal of a directory for the first time: a word that all
/// processes share.
///
/// A domain that nobody writes to needs no journal: who reads it looks at this word instead, and
/// looks for a journal when it moves.
final class JournalEpoch: Sendable {
  let path: String
  private let mapping: Mapping
  private let status: FileStatus
  private let isWritable: Bool

  /// In the file whose other bytes processes lock; those have no content.
  private static let size = 4096

  init(_ paths: StorePaths, on disk: any FileSystem) throws(StorageError) {
    path = paths.lockFile
    let (file, isWritable) = try Self.open(paths, disk)
    defer { disk.close(file) }
    self.isWritable = isWritable
    status = try disk.status(of: file)
    if status.size < Self.size {
      guard isWritable else {
        throw StorageError(.map, paths.lockFile, reason: "it is too short")
      }
      try disk.extend(file, to: Self.size)
    }
    mapping = try disk.map(file, count: Self.size, writable: isWritable)
    // 0 says that nothing is known. Whoever does not write leaves the page as it is.
    if isWritable, word.pointee.load(ordering: .relaxed) == 0 {
      _ = word.pointee.compareExchange(expected: 0, desired: 1, ordering: .relaxed)
    }
  }

  private static func open(
    _ paths: StorePaths, _ disk: any FileSystem
  ) throws(StorageError) -> (FileID, isWritable: Bool) {
    do throws(StorageError) {
      return (try disk.open(paths.lockFile, .make(mode: paths.fileMode)), true)
    } catch {
      return (try disk.open(paths.lockFile, .read), false)
    }
  }

  // Safety: within the mapping, which this object keeps.
  var word: UnsafeMutablePointer<Atomic<UInt64>> {
    mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  var isLost: Bool { mapping.isLost }

  /// Whether another file has the name now: then others share another word. While there is none,
  /// whoever knows this one goes on with it, as with the locks in it.
  func isReplaced(_ paths: StorePaths, on disk: any FileSystem) -> Bool {
    do throws(StorageError) {
      guard let now = try disk.status(of: paths.lockFile) else { return isLost }
      return isLost || !now.isSameFile(as: status)
    } catch {
      return isLost
    }
  }

  /// To be called before the first record of a journal that was not written to from here before.
  func add() {
    if isWritable { word.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  }
}
