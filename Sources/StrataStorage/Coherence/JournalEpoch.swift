import Synchronization

/// The epoch of a directory: a word, shared by all processes, that counts how often a process wrote
/// to one of the directory's journals for the first time.
///
/// A domain that nobody writes to needs no journal: its readers compare this word instead, and look
/// for a journal when it moves. While there is no directory, they compare the word of the directory
/// around it, which writers move, too.
final class JournalEpoch: CoherenceWord, Sendable {
  let path: String
  private let mapping: Mapping
  private let status: FileStatus
  private let isWritable: Bool

  /// It lies in the lock file, whose other bytes processes lock; those have no content.
  private static let size = 4096

  /// - Parameter mode: the mode of the file if it is made; nil to open only one that is there.
  init(at path: String, making mode: UInt32?, on disk: any FileSystem) throws(StorageError) {
    self.path = path
    let (file, isWritable) = try Self.open(path, mode, disk)
    defer { disk.close(file) }
    self.isWritable = isWritable
    status = try disk.status(of: file)
    if status.size < Self.size {
      guard isWritable else { throw StorageError(.map, path, reason: "it is too short") }
      try disk.extend(file, from: 0, to: Self.size, inPiecesOf: JournalLayout.pageSize)
    }
    mapping = try disk.map(file, count: Self.size, writable: isWritable)
    // 0 means that nothing is known. A process that may not write leaves the page as it is.
    if isWritable, word.pointee.load(ordering: .relaxed) == 0 {
      _ = word.pointee.compareExchange(expected: 0, desired: 1, ordering: .relaxed)
    }
  }

  private static func open(
    _ path: String, _ mode: UInt32?, _ disk: any FileSystem
  ) throws(StorageError) -> (FileID, isWritable: Bool) {
    do throws(StorageError) {
      return (try disk.open(path, mode.map { .make(mode: $0) } ?? .readWrite), true)
    } catch {
      if error.isOfMissing { throw error }
      return (try disk.open(path, .read), false)
    }
  }

  // Safety: within the mapping, which this object keeps.
  var word: UnsafeMutablePointer<Atomic<UInt64>> {
    mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  var isLost: Bool { mapping.isLost }

  /// Whether another file has the name now: then others share another word. While no file has it,
  /// whoever knows this one goes on with it, as with the locks in it.
  func isReplaced(on disk: any FileSystem) -> Bool {
    do throws(StorageError) {
      guard let now = try disk.status(of: path) else { return isLost }
      return isLost || !now.isSameFile(as: status)
    } catch {
      return isLost
    }
  }

  /// Must be called before this process's first record in a journal.
  // Ordering: releases the journal's name, which whoever acquires the new epoch finds. The first
  // value that is not 0 has nothing behind it.
  func add() {
    if isWritable { word.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent) }
  }
}
