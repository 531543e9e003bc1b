import Glibc
import StrataTesting

@testable import StrataStorage

/// The real disk, with a kernel that gives so many watches and no more, and files that it refuses.
final class LimitedDisk: FileSystem {
  private let disk = SystemFileSystem()
  private let state: Guarded<State>
  private let openStoresMax: Int
  let isElevated: Bool
  /// Where users have their places; nil unless other machines share everything else.
  private let common: String?
  /// Called before each watch that is asked for.
  let willWatch: @Sendable (_ path: String, _ interest: FileInterest) -> Void
  /// Called after each look at a path.
  let didLook: @Sendable (_ path: String) -> Void

  private struct State {
    /// Nil stands for any number; below zero there is no feed either.
    var watchesLeft: Int?
    var waits: [Int64?] = []
    var hasThreads = true
    /// What opening a file fails with.
    var refusals: [String: Int32] = [:]
    /// How many files are open; above the most there may be, opening another one fails.
    var openFiles = 0
    var openFilesMax = Int.max
  }

  init(
    watches: Int? = nil, openStores: Int = 64, isElevated: Bool = false,
    common: String? = nil,
    willWatch: @escaping @Sendable (String, FileInterest) -> Void = { _, _ in },
    didLook: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    state = Guarded(State(watchesLeft: watches))
    openStoresMax = openStores
    self.isElevated = isElevated
    self.common = common
    self.willWatch = willWatch
    self.didLook = didLook
  }

  func hasRoom(forStores count: Int) -> Bool { count <= openStoresMax }

  func lift() { state.withLock { $0.watchesLeft = nil } }
  func giveNoMore() { state.withLock { $0.watchesLeft = 0 } }

  /// The limits of all waits that have begun until now.
  var waits: [Int64?] { state.withLock { $0.waits } }

  /// Whether a thread can be started.
  var hasThreads: Bool {
    get { state.withLock { $0.hasThreads } }
    set { state.withLock { $0.hasThreads = newValue } }
  }

  // -- What is limited

  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    hasThreads && disk.startThread(body)
  }

  func makeFeed() throws(StorageError) -> FileID {
    if state.withLock({ $0.watchesLeft.map { $0 < 0 } ?? false }) {
      throw StorageError(.watch, "inotify", code: SystemCode.noSpace)
    }
    return try disk.makeFeed()
  }

  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32 {
    willWatch(path, interest)
    let isLink = try disk.destination(of: path) != nil
    let isThere = try disk.status(of: path) != nil || isLink
    let isGiven = state.withLock { state in
      guard isThere, let left = state.watchesLeft else { return true }
      state.watchesLeft = max(0, left - 1)
      return left > 0
    }
    if !isGiven { throw StorageError(.watch, path, code: SystemCode.noSpace) }
    return try disk.watch(path, for: interest, with: feed)
  }

  func waitForEvents(_ feed: FileID, atMost limit: Int64?) {
    state.withLock { $0.waits.append(limit) }
    disk.waitForEvents(feed, atMost: limit)
  }

  /// Has the file fail to open with this error, or (nil) no more.
  func refuse(_ path: String, _ code: Int32?) { state.withLock { $0.refusals[path] = code } }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID {
    let refusal = state.withLock { state in
      state.openFiles >= state.openFilesMax ? EMFILE : state.refusals[path]
    }
    if let refusal { throw StorageError(.open, path, code: refusal) }
    let file = try disk.open(path, access)
    state.withLock { $0.openFiles += 1 }
    return file
  }

  var openFileCount: Int { state.withLock { $0.openFiles } }

  var openFilesMax: Int {
    get { state.withLock { $0.openFilesMax } }
    set { state.withLock { $0.openFilesMax = newValue } }
  }

  func close(_ file: FileID) {
    disk.close(file)
    state.withLock { $0.openFiles -= 1 }
  }
  func closeKept(_ file: FileID) {
    disk.closeKept(file)
    state.withLock { $0.openFiles -= 1 }
  }

  // -- What is not

  func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    try disk.makeDirectory(path, mode: mode)
  }
  func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError) {
    try disk.setMode(ofDirectory: path, mode)
  }
  func keepFromChildren(_ file: FileID) { disk.keepFromChildren(file) }
  func status(of path: String) throws(StorageError) -> FileStatus? {
    defer { didLook(path) }
    return try disk.status(of: path)
  }
  func status(of file: FileID) throws(StorageError) -> FileStatus { try disk.status(of: file) }
  func destination(of path: String) throws(StorageError) -> String? {
    try disk.destination(of: path)
  }
  func names(in directory: String) throws(StorageError) -> [String] {
    try disk.names(in: directory)
  }
  func kind(of directory: String) -> FileSystemKind {
    guard let common, !directory.hasPrefix(common) else { return disk.kind(of: directory) }
    return .shared("nfs")
  }
  var commonDirectories: [String] { common.map { [$0] } ?? ["/var/tmp"] }
  func realPath(of directory: String) -> String { disk.realPath(of: directory) }
  func standing(
    of place: MachinePlace, making: Bool
  ) throws(StorageError) -> MachinePlaceStanding {
    try disk.standing(of: place, making: making)
  }
  func read(
    _ file: FileID, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try disk.read(file, at: offset, into: buffer)
  }
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
  func extend(
    _ file: FileID, from known: Int, to size: Int, inPiecesOf piece: Int
  ) throws(StorageError) {
    try disk.extend(file, from: known, to: size, inPiecesOf: piece)
  }
  func setAttributes(_ file: FileID, mode: UInt32, owner: FileOwner?) throws(StorageError) {
    try disk.setAttributes(file, mode: mode, owner: owner)
  }
  func synchronize(_ file: FileID) throws(StorageError) { try disk.synchronize(file) }
  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError) {
    try disk.synchronize(mapping, of: file, range)
  }
  func synchronizeDirectory(_ path: String) throws(StorageError) {
    try disk.synchronizeDirectory(path)
  }
  func rename(_ old: String, to new: String, _ rule: RenameRule) throws(StorageError) {
    try disk.rename(old, to: new, rule)
  }
  func link(_ old: String, to new: String) throws(StorageError) { try disk.link(old, to: new) }
  func remove(_ path: String) throws(StorageError) { try disk.remove(path) }
  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping {
    try disk.map(file, count: count, writable: writable)
  }
  func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool {
    try disk.lockByte(file, offset)
  }
  func unlockByte(_ file: FileID, _ offset: Int64) { disk.unlockByte(file, offset) }
  func hasEvents(_ feed: FileID) -> Bool { disk.hasEvents(feed) }
  func events(_ feed: FileID) -> [FileEvent] { disk.events(feed) }
  func unwatch(_ watch: Int32, with feed: FileID) { disk.unwatch(watch, with: feed) }
  func signal(_ file: FileID) { disk.signal(file) }
  var user: UInt32 { disk.user }
  func bootID() -> BootID { disk.bootID() }
}
