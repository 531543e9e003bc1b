/// Everything that this library asks of a disk, and of the kernel around it.
///
/// `SystemFileSystem` asks the real ones; the tests' implementation loses bytes that were not
/// synchronized, and fails or dies at the n-th call. Nothing else in the library makes a system
/// call that reaches a file.
// An object: every store and file has a reference to it, and a copy of any other value of an
// unknown type takes a call.
protocol FileSystem: AnyObject, Sendable {
  func makeDirectory(_ path: String, mode: UInt32) throws(StorageError)
  func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError)
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID
  /// Opens a file for reading and writing; nil if there is none.
  // Most looks for a journal find that, and to throw an error is slow.
  func openIfThere(_ path: String) throws(StorageError) -> FileID?
  func close(_ file: FileID)
  /// Has the file closed in children of `fork`. `closeKept` is for the process that opened it.
  func keepFromChildren(_ file: FileID)
  func closeKept(_ file: FileID)

  /// The status of what a path leads to, with links followed; nil if there is nothing.
  func status(of path: String) throws(StorageError) -> FileStatus?
  func status(of file: FileID) throws(StorageError) -> FileStatus
  /// Where a symbolic link leads; nil if the path is none.
  func destination(of path: String) throws(StorageError) -> String?
  func names(in directory: String) throws(StorageError) -> [String]
  /// The kind of file system in which a directory lies, or would lie if it were made.
  func kind(of directory: String) -> FileSystemKind
  /// The path of a directory without links, as far as it exists.
  func realPath(of directory: String) -> String
  /// The state of a user's place; if it is missing, it is made where `making` asks for that and
  /// this process has the right to.
  func standing(of place: MachinePlace, making: Bool) throws(StorageError) -> MachinePlaceStanding

  // Safety: the buffer is written during the call only, and no further than it reaches.
  /// Reads until the buffer is full or the file ends.
  /// - Returns: how many bytes were read.
  func read(
    _ file: FileID, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int
  // Safety: the bytes are read during the call only.
  func write(_ bytes: UnsafeRawBufferPointer, to file: FileID, at offset: Int) throws(StorageError)
  /// Empties the file.
  func truncate(_ file: FileID) throws(StorageError)
  /// Fills `range` of the file with zeros that have their place on the disk.
  func allocate(_ file: FileID, _ range: Range<Int>) throws(StorageError)
  /// Adds zeros, with their place on the disk, until the file is that long. Any number of processes
  /// may do so at once: what is in the file stays.
  ///
  /// Throws `SystemCode.cutOff` if the file is shorter than `known`: somebody has cut it off, and
  /// zeros would take the place of what was there.
  ///
  /// - Parameter piece: how many are written at once, 64 KiB at most. The page cache keeps together
  ///   what was written together: that is had, and mapped, in a fraction of the time that single
  ///   pages take; but a later `synchronize` writes all of it for one byte that changed.
  func extend(
    _ file: FileID, from known: Int, to size: Int, inPiecesOf piece: Int
  ) throws(StorageError)
  func setAttributes(_ file: FileID, mode: UInt32, owner: FileOwner?) throws(StorageError)

  func synchronize(_ file: FileID) throws(StorageError)
  /// Makes `range` of a mapped file durable, and the file's length as far as that.
  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError)
  func synchronizeDirectory(_ path: String) throws(StorageError)
  /// - Throws: an error with `isOfUnsupported` if the file system knows no rule but `.replace`.
  func rename(_ old: String, to new: String, _ rule: RenameRule) throws(StorageError)
  /// Gives a file a second name in the same directory, if nothing has that name.
  func link(_ old: String, to new: String) throws(StorageError)
  func remove(_ path: String) throws(StorageError)

  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping

  /// Takes an exclusive lock on one byte, which the kernel releases when the process dies.
  /// - Returns: false if another process holds it.
  func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool
  func unlockByte(_ file: FileID, _ offset: Int64)

  /// A queue to which the kernel adds each change of what is watched, before the call that causes
  /// it returns.
  func makeFeed() throws(StorageError) -> FileID
  /// Watches a path for this, in addition to what it is watched for.
  /// - Returns: the watch: a number for what the path leads to at this moment.
  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32
  func hasEvents(_ feed: FileID) -> Bool
  /// A file that tells sooner whether the feed has events; nil if none can be had.
  func makeLookout(for feed: FileID) -> Lookout?
  func events(_ feed: FileID) -> [FileEvent]
  /// Ends a watch, which itself makes an event.
  func unwatch(_ watch: Int32, with feed: FileID)
  /// Waits until there are events, or so many nanoseconds have passed (nil: for ever).
  func waitForEvents(_ feed: FileID, atMost limit: Int64?)
  /// Makes an event for the file's name, and has no other effect.
  func signal(_ file: FileID)

  /// Runs `body` on a new thread.
  /// - Returns: false if the system has no thread to give.
  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool

  /// How many nanoseconds to wait for a process that may be stopped, before going on without it.
  var patience: Int64 { get }
  /// How many nanoseconds to wait for one that replaces a destroyed journal: whoever goes on
  /// without it may cost others what they set meanwhile.
  var mendingPatience: Int64 { get }
  /// How many nanoseconds to wait for others that write the property list.
  var flushPatience: Int64 { get }
  /// How many nanoseconds others have to bring what they know of a journal that was destroyed.
  var settlingTime: Int64 { get }
  /// The maximum size of a journal; so many addresses are reserved, and the file grows into them.
  var journalSizeMax: Int { get }
  /// The size below which no journal is compacted.
  var compactionSizeMin: Int { get }
  /// The size from which on a property list is searched for the first few keys before it is read.
  var searchSizeMin: Int { get }
  /// Whether so many stores of a process may have files open; else some must give theirs back.
  func hasRoom(forStores count: Int) -> Bool
  /// Directories of this machine in which every user can make some; the first that exists counts.
  var commonDirectories: [String] { get }
  /// The user on whose behalf the process acts.
  var user: UInt32 { get }
  /// Whether the process has rights that whoever started it does not have.
  var isElevated: Bool { get }
  /// Identifies the time since the machine was started.
  func bootID() -> BootID
}

extension FileSystem {
  func openIfThere(_ path: String) throws(StorageError) -> FileID? {
    do throws(StorageError) {
      return try open(path, .readWrite)
    } catch {
      if SystemFileSystem.isMissing(error.code) { return nil }
      throw error
    }
  }

  /// Makes a directory's names durable. Another user's directory may refuse to be opened: then it
  /// is up to whoever made the names.
  func synchronizeNames(in directory: String) throws(StorageError) {
    do throws(StorageError) {
      try synchronizeDirectory(directory)
    } catch {
      guard [SystemCode.denied, SystemCode.notPermitted].contains(error.code),
        let status = try status(of: directory), status.owner.user != user
      else { throw error }
    }
  }

  func makeLookout(for feed: FileID) -> Lookout? { nil }
  var patience: Int64 { 10_000_000 }
  var mendingPatience: Int64 { 500_000_000 }
  var flushPatience: Int64 { 10_000_000_000 }
  var settlingTime: Int64 { 2_000_000_000 }
  func hasRoom(forStores count: Int) -> Bool { count <= 64 }
  var compactionSizeMin: Int { 1 << 18 }
  var searchSizeMin: Int { 1 << 19 }
  var isElevated: Bool { false }
  var commonDirectories: [String] { ["/var/tmp", "/dev/shm"] }

  /// Where a path's symbolic links end; the path itself if it is no link.
  func resolve(_ path: String) throws(StorageError) -> String {
    var current = path
    for _ in 0..<Path.linksMax {
      guard let target = try destination(of: current) else { return current }
      current = target
    }
    throw StorageError(.open, path, code: SystemCode.tooManyLinks)
  }

  // Safety: the array's own buffer is passed on, and counts as filled as far as it was read.
  func read(_ file: FileID, at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
    var failure: StorageError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(StorageError) {
        let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
        filled = try read(file, at: offset, into: room)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  // Safety: the bytes are passed on during the call only.
  func write(_ bytes: [UInt8], to file: FileID, at offset: Int) throws(StorageError) {
    let result = bytes.withUnsafeBytes { raw in
      Result { () throws(StorageError) in try write(raw, to: file, at: offset) }
    }
    try result.get()
  }
}
