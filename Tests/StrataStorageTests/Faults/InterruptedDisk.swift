@testable import StrataStorage

/// The real disk, with something that happens before each call that names a path, and while bytes
/// or names are made durable, which may take long, and once events were taken from the kernel's
/// queue. `onDirectory` sees whose names these are.
final class InterruptedDisk: FileSystem {
  private let disk = SystemFileSystem()
  private let before: @Sendable () -> Void
  private let whileWaiting: @Sendable () -> Void
  private let onDirectory: @Sendable (_ path: String) -> Void
  private let afterTaking: @Sendable () -> Void

  init(
    before: @escaping @Sendable () -> Void = {}, whileWaiting: @escaping @Sendable () -> Void = {},
    onDirectory: @escaping @Sendable (_ path: String) -> Void = { _ in },
    afterTaking: @escaping @Sendable () -> Void = {}
  ) {
    (self.before, self.whileWaiting, self.onDirectory) = (before, whileWaiting, onDirectory)
    self.afterTaking = afterTaking
  }

  func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    before()
    try disk.makeDirectory(path, mode: mode)
  }
  func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError) {
    before()
    try disk.setMode(ofDirectory: path, mode)
  }
  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID {
    before()
    return try disk.open(path, access)
  }
  func status(of path: String) throws(StorageError) -> FileStatus? {
    before()
    return try disk.status(of: path)
  }
  func destination(of path: String) throws(StorageError) -> String? {
    before()
    return try disk.destination(of: path)
  }
  func names(in directory: String) throws(StorageError) -> [String] {
    before()
    return try disk.names(in: directory)
  }
  func kind(of directory: String) -> FileSystemKind { disk.kind(of: directory) }
  func realPath(of directory: String) -> String { disk.realPath(of: directory) }
  func standing(
    of place: MachinePlace, making: Bool
  ) throws(StorageError) -> MachinePlaceStanding {
    try disk.standing(of: place, making: making)
  }
  func synchronizeDirectory(_ path: String) throws(StorageError) {
    before()
    whileWaiting()
    onDirectory(path)
    try disk.synchronizeDirectory(path)
  }
  func rename(_ old: String, to new: String, _ rule: RenameRule) throws(StorageError) {
    before()
    try disk.rename(old, to: new, rule)
  }
  func link(_ old: String, to new: String) throws(StorageError) {
    before()
    try disk.link(old, to: new)
  }
  func remove(_ path: String) throws(StorageError) {
    before()
    try disk.remove(path)
  }
  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32 {
    before()
    return try disk.watch(path, for: interest, with: feed)
  }

  // -- What names no path

  func close(_ file: FileID) { disk.close(file) }
  func keepFromChildren(_ file: FileID) { disk.keepFromChildren(file) }
  func closeKept(_ file: FileID) { disk.closeKept(file) }
  func status(of file: FileID) throws(StorageError) -> FileStatus { try disk.status(of: file) }
  func read(
    _ file: FileID, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try disk.read(file, at: offset, into: buffer)
  }
  func extend(
    _ file: FileID, from known: Int, to size: Int, inPiecesOf piece: Int
  ) throws(StorageError) {
    try disk.extend(file, from: known, to: size, inPiecesOf: piece)
  }
  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool { disk.startThread(body) }
  // Safety: the bytes are passed on during the call only.
  func write(
    _ bytes: UnsafeRawBufferPointer, to file: FileID, at offset: Int
  ) throws(StorageError) {
    try disk.write(bytes, to: file, at: offset)
  }
  func truncate(_ file: FileID) throws(StorageError) { try disk.truncate(file) }
  func allocate(_ file: FileID, _ range: Range<Int>) throws(StorageError) {
    try disk.allocate(file, range)
  }
  func setAttributes(_ file: FileID, mode: UInt32, owner: FileOwner?) throws(StorageError) {
    before()
    try disk.setAttributes(file, mode: mode, owner: owner)
  }
  func synchronize(_ file: FileID) throws(StorageError) { whileWaiting() }
  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError) { whileWaiting() }
  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping {
    try disk.map(file, count: count, writable: writable)
  }
  func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool {
    try disk.lockByte(file, offset)
  }
  func unlockByte(_ file: FileID, _ offset: Int64) { disk.unlockByte(file, offset) }
  func makeFeed() throws(StorageError) -> FileID { try disk.makeFeed() }
  func hasEvents(_ feed: FileID) -> Bool { disk.hasEvents(feed) }
  func makeLookout(for feed: FileID) -> Lookout? { disk.makeLookout(for: feed) }
  func events(_ feed: FileID) -> [FileEvent] {
    let events = disk.events(feed)
    if !events.isEmpty { afterTaking() }
    return events
  }
  func unwatch(_ watch: Int32, with feed: FileID) { disk.unwatch(watch, with: feed) }
  func waitForEvents(_ feed: FileID, atMost limit: Int64?) {
    disk.waitForEvents(feed, atMost: limit)
  }
  func signal(_ file: FileID) { disk.signal(file) }
  var user: UInt32 { disk.user }
  func bootID() -> BootID { disk.bootID() }
}
