import Glibc
import StrataTesting

@testable import StrataStorage

/// The disk of a `FaultMachine` as one process sees it.
final class FaultDisk: FileSystem, @unchecked Sendable {
  let machine: FaultMachine
  let process: Int
  /// Guarded, since whoever sweeps retired objects closes the files of journals, on any thread.
  private let files = Guarded(OpenFiles())
  private var watches: [String: Int32] = [:]
  private var queue: [FileEvent] = []
  private let ownBoot: UInt64?

  private struct OpenFiles {
    var byID: [FileID: FaultFile] = [:]
    var lastID: Int32 = 100
  }

  init(on machine: FaultMachine, process: Int, boot: UInt64? = nil) {
    self.machine = machine
    self.process = process
    ownBoot = boot
  }

  func hear(_ path: String) {
    guard let watch = watches[Path.directory(of: path)] else { return }
    let name = Path.name(of: path)
    queue.append(FileEvent(watch: watch, name: name, kind: .name))
  }

  // -- Names

  func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    try machine.step("mkdir \(path)", process)
    guard machine.directories.insert(path).inserted else { return }
    machine.unsyncedDirectories.insert(path)
    machine.announce(path)
  }

  /// It knows no modes of directories, and no umask.
  func setMode(ofDirectory path: String, _ mode: UInt32) throws(StorageError) {
    try machine.step("chmod \(path)", process)
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID {
    // What has the name is asked for after each call that others may come before.
    var file = machine.names[path]
    switch access {
    case .read, .readWrite:
      try machine.quiet(.open, path, process)
      if access == .readWrite, let code = machine.writingError?(path, process) {
        throw StorageError(.open, path, code: code)
      }
      file = machine.names[path]
    case .create(let mode):
      guard machine.directories.contains(Path.directory(of: path)) else { break }
      if file == nil { try machine.step("create \(path)", process) }
      if machine.names[path] != nil { throw StorageError(.open, path, code: EEXIST) }
      file = machine.makeFile(mode: mode)
      machine.rename([(path, file)])
    case .make(let mode), .replace(let mode):
      guard machine.directories.contains(Path.directory(of: path)) else { break }
      if file == nil {
        try machine.step("create \(path)", process)
        file = machine.names[path] ?? machine.makeFile(mode: mode)
        machine.rename([(path, file)])
      } else if case .replace = access {
        // What was there only loses this name.
        try machine.step("remove \(path)", process)
        machine.rename([(path, nil)])
        try machine.step("create \(path)", process)
        file = machine.makeFile(mode: mode)
        machine.rename([(path, file)])
      }
    }
    guard let file else { throw StorageError(.open, path, code: ENOENT) }
    return files.withLock { files in
      files.lastID += 1
      let id = FileID(rawValue: files.lastID)
      files.byID[id] = file
      return id
    }
  }

  func close(_ file: FileID) { files.withLock { $0.byID[file] = nil } }
  private func file(_ id: FileID) -> FaultFile? { files.withLock { $0.byID[id] } }
  func keepFromChildren(_ file: FileID) {}
  func closeKept(_ file: FileID) { close(file) }

  func status(of path: String) throws(StorageError) -> FileStatus? {
    try machine.quiet(.status, path, process)
    if let file = machine.names[path] { return status(file) }
    if machine.directories.contains(path) {
      var status = FileStatus()
      status.isRegular = false
      status.mode = 0o755
      if machine.foreignDirectories.contains(path) { status.owner = FileOwner(user: 1, group: 1) }
      return status
    }
    return nil
  }

  func status(of file: FileID) throws(StorageError) -> FileStatus {
    try machine.quiet(.statusOfFile, path(of: file), process)
    return status(try opened(file))
  }

  private func path(of id: FileID) -> String {
    guard let file = file(id) else { return "" }
    return machine.names.first { $0.value === file }?.key ?? ""
  }

  private func status(_ file: FaultFile) -> FileStatus {
    var status = FileStatus()
    status.device = 1
    status.number = file.number
    status.size = file.size
    status.modified = file.modified
    status.changed = file.changed
    status.mode = file.mode
    status.nameCount = machine.names.values.count { $0 === file }
    return status
  }

  private func opened(_ id: FileID) throws(StorageError) -> FaultFile {
    guard let file = file(id) else { throw StorageError(.status, "closed", code: EBADF) }
    return file
  }

  func destination(of path: String) throws(StorageError) -> String? {
    try machine.quiet(.destination, path, process)
    return nil
  }

  func names(in directory: String) throws(StorageError) -> [String] {
    try machine.quiet(.names, directory, process)
    return (Array(machine.names.keys) + machine.directories).filter {
      $0 != "/" && Path.directory(of: $0) == directory
    }.map(Path.name)
  }

  func kind(of directory: String) -> FileSystemKind {
    guard machine.kind.isShared else { return .local }
    if !FaultMachine.isCommon(directory) { return .shared("nfs") }
    return machine.kind == .sharedInMemory ? .memory : .local
  }

  func realPath(of directory: String) -> String { directory }

  func standing(
    of place: MachinePlace, making: Bool
  ) throws(StorageError) -> MachinePlaceStanding {
    if machine.directories.contains(place.path) { return .sound }
    if !making { return .missing }
    guard machine.directories.contains(Path.directory(of: place.path)) else {
      throw StorageError(.makeDirectory, place.path, code: ENOENT)
    }
    try makeDirectory(place.path, mode: 0o711)
    return .sound
  }

  func rename(_ old: String, to new: String, _ rule: RenameRule) throws(StorageError) {
    try machine.step("rename \(new)", process)
    if rule != .replace, machine.kind != .ordinary,
      !(machine.kind.isShared && FaultMachine.isCommon(new))
    {
      throw StorageError(.rename, new, code: EINVAL)
    }
    guard let file = machine.names[old] else { throw StorageError(.rename, new, code: ENOENT) }
    let taken = machine.names[new]
    if taken != nil && rule == .refuse { throw StorageError(.rename, new, code: EEXIST) }
    if rule == .exchange && taken == nil { throw StorageError(.rename, new, code: ENOENT) }
    machine.rename([(old, rule == .exchange ? taken : nil), (new, file)])
    file.changed = machine.tick()
  }

  func link(_ old: String, to new: String) throws(StorageError) {
    try machine.step("link \(new)", process)
    guard let file = machine.names[old] else { throw StorageError(.rename, new, code: ENOENT) }
    if machine.names[new] != nil { throw StorageError(.rename, new, code: EEXIST) }
    machine.rename([(new, file)])
    file.changed = machine.tick()
  }

  func remove(_ path: String) throws(StorageError) {
    try machine.step("remove \(path)", process)
    if machine.names[path] != nil { machine.rename([(path, nil)]) }
  }

  // -- Bytes

  func read(
    _ file: FileID, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    try machine.quiet(.read, path(of: file), process)
    let file = try opened(file)
    let count = max(0, min(buffer.count, file.size - offset))
    machine.bytesRead += count
    buffer.copyMemory(from: UnsafeRawBufferPointer(start: file.cached + offset, count: count))
    return count
  }

  func write(
    _ bytes: UnsafeRawBufferPointer, to file: FileID, at offset: Int
  ) throws(StorageError) {
    let file = try opened(file)
    try machine.step("write \(file.number)", process)
    precondition(offset + bytes.count <= FaultFile.capacity, "the file is larger than its mapping")
    if let base = bytes.baseAddress {
      (file.cached + offset).copyMemory(from: base, byteCount: bytes.count)
    }
    file.size = max(file.size, offset + bytes.count)
    touch(file)
  }

  func truncate(_ file: FileID) throws(StorageError) {
    let file = try opened(file)
    try machine.step("truncate \(file.number)", process)
    file.size = 0
    touch(file)
  }

  func allocate(_ file: FileID, _ range: Range<Int>) throws(StorageError) {
    let file = try opened(file)
    try machine.step("allocate \(file.number)", process)
    precondition(range.upperBound <= FaultFile.capacity, "the file is larger than its mapping")
    memset(file.cached + range.lowerBound, 0, range.count)
    file.size = max(file.size, range.upperBound)
    touch(file)
  }

  func extend(
    _ file: FileID, from known: Int, to size: Int, inPiecesOf piece: Int
  ) throws(StorageError) {
    let file = try opened(file)
    try machine.step("extend \(file.number) by \(piece)", process)
    guard file.size >= known else {
      throw StorageError(.allocate, "file \(file.number)", code: SystemCode.cutOff)
    }
    precondition(size <= FaultFile.capacity, "the file is larger than its mapping")
    file.size = max(file.size, size)
    touch(file)
  }

  private func touch(_ file: FaultFile) {
    file.modified = machine.tick()
    file.changed = file.modified
    for (path, named) in machine.names where named === file { machine.announce(path) }
  }

  func setAttributes(_ file: FileID, mode: UInt32, owner: FileOwner?) throws(StorageError) {
    let file = try opened(file)
    try machine.step("chmod \(file.number)", process)
    file.mode = mode
    file.changed = machine.tick()
  }

  func synchronize(_ file: FileID) throws(StorageError) {
    let file = try opened(file)
    try synchronize(file, 0..<file.size, "sync \(file.number)")
  }

  func synchronize(
    _ mapping: Mapping, of file: FileID, _ range: Range<Int>
  ) throws(StorageError) {
    let file = try opened(file)
    try synchronize(file, range, "sync \(file.number) \(range)")
  }

  private func synchronize(
    _ file: FaultFile, _ range: Range<Int>, _ call: String
  ) throws(StorageError) {
    do throws(StorageError) {
      try machine.step(call, process)
    } catch {
      file.failToSynchronize(range)
      throw error
    }
    file.synchronize(range)
  }

  func synchronizeDirectory(_ path: String) throws(StorageError) {
    try machine.step("sync directory \(path)", process)
    machine.synchronizeNames(in: path)
  }

  func map(_ file: FileID, count: Int, writable: Bool) throws(StorageError) -> Mapping {
    try machine.quiet(.map, path(of: file), process)
    let file = try opened(file)
    return Mapping(
      base: file.cached, count: FaultFile.capacity, record: machine.mappingRecord,
      release: { [machine] in withExtendedLifetime((file, machine)) {} })
  }

  // -- The kernel

  func lockByte(_ file: FileID, _ offset: Int64) throws(StorageError) -> Bool {
    try machine.quiet(.lock, path(of: file), process)
    let byte = FaultMachine.LockedByte(file: try opened(file).number, offset: offset)
    if let lockOwner = machine.locks[byte], lockOwner != process { return false }
    machine.locks[byte] = process
    return true
  }

  func unlockByte(_ file: FileID, _ offset: Int64) {
    guard let file = self.file(file) else { return }
    machine.locks[FaultMachine.LockedByte(file: file.number, offset: offset)] = nil
  }

  func makeFeed() throws(StorageError) -> FileID {
    try machine.quiet(.feed, "", process)
    return FileID(rawValue: 1)
  }

  func watch(
    _ path: String, for interest: FileInterest, with feed: FileID
  ) throws(StorageError) -> Int32 {
    try machine.quiet(.watch, path, process)
    guard machine.directories.contains(where: { $0 == path || $0.hasPrefix(path + "/") }) else {
      throw StorageError(.watch, path, code: ENOENT)
    }
    let watch = watches[path] ?? Int32(watches.count + 1)
    watches[path] = watch
    return watch
  }

  func hasEvents(_ feed: FileID) -> Bool { !queue.isEmpty }

  func events(_ feed: FileID) -> [FileEvent] {
    defer { queue.removeAll() }
    return queue
  }

  func unwatch(_ watch: Int32, with feed: FileID) {}
  func waitForEvents(_ feed: FileID, atMost limit: Int64?) {}
  func signal(_ file: FileID) {
    for (path, named) in machine.names where named === self.file(file) { machine.announce(path) }
  }

  func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    if machine.quietError?(.thread, process) != nil { return false }
    return StrataStorage.Thread.start(body)
  }

  /// Nobody here runs at the same time.
  var patience: Int64 { machine.patience }
  var mendingPatience: Int64 { machine.mendingPatience }
  var journalSizeMax: Int { FaultFile.capacity }
  var flushPatience: Int64 { machine.flushPatience }
  var settlingTime: Int64 { machine.settlingTime }
  var compactionSizeMin: Int { machine.compactionSizeMin }
  var searchSizeMin: Int { machine.searchSizeMin }
  var user: UInt32 { 0 }

  func bootID() -> BootID {
    machine.beforeBootID?()
    return BootID(high: 0, low: ownBoot ?? machine.boot)
  }
}
