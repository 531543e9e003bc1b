/// Everything that this library asks of a disk and of the kernel beside it.
///
/// `SystemFileSystem` asks the real ones; the tests' implementation loses unsynchronized bytes,
/// fails at the n-th call and dies at the n-th call. Nothing else in the library makes a system
/// call that reaches a file.
protocol FileSystem: Sendable {
  func makeDirectory(_ path: String, mode: UInt32) throws(StorageError)
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID
  func close(_ file: FileID)
  /// Has the file closed in children of a fork. `closeKept` is for the process that opened it.
  func keepFromChildren(_ file: FileID)
  func closeKept(_ file: FileID)

  /// What a path leads to, links followed; nil when there is nothing.
  func status(of path: String) throws(StorageError) -> FileStatus?
  func status(of file: FileID) throws(StorageError) -> FileStatus
  /// Where a symbolic link leads; nil when the path is none.
  func destination(of path: String) throws(StorageError) -> String?
  func names(in directory: String) throws(StorageError) -> [String]
  /// In what kind of file system a directory lies, or would if it were made.
  func kind(of directory: String) -> FileSystemKind
  /// The path of a directory without links, as far as it is there.
  func realPath(of directory: String) -> String
  /// How a user's place stands; where it is missing and this process has the right to, it can be
  /// made.
  func standing(of place: MachinePlace, making: Bool) throws(StorageError) -> MachinePlaceStanding

  func read(_ file: FileID, at offset: Int, count: Int) throws(StorageError) -> [UInt8]
  // Safety: the bytes are read during the call only.
  func write(_ bytes: UnsafeRawBufferPointer, to file: FileID, at offset: Int) throws(StorageError)
  /// Makes `range` of the file zeros that have their place on the disk.
  func allocate(_ file: FileID, _ range: Range<Int>) throws(StorageError)
  /// Adds zeros at the end of the file, with their place on the disk, until it is that long. Any
  /// number of processes may do so at once: what is in the file stays.
  func extend(_ file: FileID, to size: Int) throws(StorageError)
  func setAttributes(_ file: FileID, mode: UInt32, owner: FileOwner?) throws(StorageError)

  func synchronize(_ file: FileID) throws(StorageError)
  /// Makes durable what lies in `range` of a mapped file, and its length as far as that.
  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError)
  func synchronizeDirectory(_ path: String) throws(StorageError)
  /// - Throws: what `isOfUnsupported` where the file system knows no rule but `.replace`.
  func rename(_ old: String, to new: String, _ rule: RenameRule) throws(StorageError)
  /// Gives a file a second name in the same directory, if nothing has that name.
  func link(_ old: String, to new: String) throws(StorageError)
  func remove(_ path: String) throws(StorageError)

  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping

  /// Takes an exclusive lock on one byte, which the kernel lifts when the process dies.
  func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool
  func unlockByte(_ file: FileID, _ offset: Int64)
  /// Whether another process holds the byte's lock.
  func isByteLocked(_ file: FileID, _ offset: Int64) -> Bool

  /// A queue to which the kernel adds, before the call that made it returns, each change of what is
  /// watched.
  func makeFeed() throws(StorageError) -> FileID
  /// Watches a path for this, too.
  /// - Returns: a number that stands for what the path leads to at this moment.
  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32
  func hasEvents(_ feed: FileID) -> Bool
  func events(_ feed: FileID) -> [FileEvent]
  /// Ends a watch, which is an event.
  func unwatch(_ watch: Int32, with feed: FileID)
  /// Returns when there are events, or (nil stands for never) after so many nanoseconds.
  func waitForEvents(_ feed: FileID, atMost limit: Int64?)
  /// Makes an event of the file's name, and nothing else.
  func signal(_ file: FileID)

  /// Runs `body` on a new thread.
  /// - Returns: false when the system has no thread to give.
  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool

  /// How many nanoseconds to wait for a process that may have stopped before doing without it.
  var patience: Int64 { get }
  /// How many to wait for others who write the property list.
  var flushPatience: Int64 { get }
  /// The most that a journal can hold; the addresses are reserved once, the file grows into them.
  var journalSizeMax: Int { get }
  /// What a journal takes beyond twice what is in it before it is compacted.
  var compactionSizeMin: Int { get }
  /// How many stores of a process may have files open that are not needed at the moment.
  var openStoresMax: Int { get }
  /// Directories of this machine in which each user can make some; the first that is there counts.
  var commonDirectories: [String] { get }
  /// The user on whose behalf the process acts.
  var user: UInt32 { get }
  /// Whether the process has rights that whoever started it has not.
  var isElevated: Bool { get }
  /// A name for the time since the machine started.
  func bootID() -> BootID
}

extension FileSystem {
  /// Makes durable which names a directory has. In one of another user, who may not open that
  /// relies on whoever made them.
  func synchronizeNames(in directory: String) throws(StorageError) {
    do throws(StorageError) {
      try synchronizeDirectory(directory)
    } catch {
      guard [SystemCode.denied, SystemCode.notPermitted].contains(error.code),
        let status = try status(of: directory), status.owner.user != user
      else { throw error }
    }
  }

  var patience: Int64 { 10_000_000 }
  var flushPatience: Int64 { 10_000_000_000 }
  var openStoresMax: Int { 64 }
  var compactionSizeMin: Int { 1 << 18 }
  var isElevated: Bool { false }
  var commonDirectories: [String] { ["/var/tmp", "/dev/shm"] }

  /// Where a path's symbolic links end; the path itself when it is none.
  func resolve(_ path: String) throws(StorageError) -> String {
    var current = path
    for _ in 0..<Path.linksMax {
      guard let target = try destination(of: current) else { return current }
      current = target
    }
    throw StorageError(.open, path, code: SystemCode.tooManyLinks)
  }

  // Safety: the bytes are passed on during the call only.
  func write(_ bytes: [UInt8], to file: FileID, at offset: Int) throws(StorageError) {
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(StorageError) in try write(raw, to: file, at: offset) }
    }
    try result.get()
  }
}
