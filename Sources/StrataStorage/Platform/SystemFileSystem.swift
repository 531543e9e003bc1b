import CStrata
import Glibc
import Synchronization

/// The real disk.
package struct SystemFileSystem: FileSystem {
  package init() {}

  package func makeDirectory(_ path: String, mode: UInt32) throws(StorageError) {
    guard mkdir(path, mode) != 0 else { return try giveToOwner(path) }
    if errno != EEXIST { throw failure(.makeDirectory, path) }
  }

  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> FileID {
    let descriptor =
      switch access {
      case .read: strata_open(path, O_RDONLY | O_NONBLOCK, 0)
      case .readWrite: strata_open(path, O_RDWR, 0)
      case .make(let mode): try make(path, O_RDWR | O_NOFOLLOW, mode)
      case .replace(let mode): try make(path, O_RDWR | O_TRUNC | O_NOFOLLOW, mode)
      }
    guard descriptor >= 0 else { throw failure(.open, path) }
    return FileID(rawValue: descriptor)
  }

  package func close(_ file: FileID) { _ = Glibc.close(file.rawValue) }
  func keepFromChildren(_ file: FileID) { strata_file_keep_from_child(file.rawValue) }
  func closeKept(_ file: FileID) { strata_file_close(file.rawValue) }

  package func status(of path: String) throws(StorageError) -> FileStatus? {
    var raw = stat()
    if stat(path, &raw) == 0 { return FileStatus(raw) }
    if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) { return nil }
    throw failure(.status, path)
  }

  func status(of file: FileID) throws(StorageError) -> FileStatus {
    var raw = stat()
    guard fstat(file.rawValue, &raw) == 0 else { throw failure(.status, file) }
    return FileStatus(raw)
  }

  // Safety: the link's target is written into the buffer, whose length is passed along.
  package func resolve(_ path: String) throws(StorageError) -> String {
    try (self as any FileSystem).resolve(path)
  }

  package func destination(of path: String) throws(StorageError) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, filled in
      filled = buffer.withMemoryRebound(to: CChar.self) { text in
        max(0, text.baseAddress.map { readlink(path, $0, text.count) } ?? 0)
      }
    }
    if bytes.isEmpty { return nil }
    let target = String(decoding: bytes, as: UTF8.self)
    return target.hasPrefix("/") ? target : Path.join(Path.directory(of: path), target)
  }

  package func names(in directory: String) throws(StorageError) -> [String] {
    guard let stream = opendir(directory) else { throw failure(.list, directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  package func setAttributes(
    _ file: FileID, mode: UInt32, owner: FileOwner?
  ) throws(StorageError) {
    if let owner, owner.user != geteuid() || owner.group != getegid() {
      guard fchown(file.rawValue, owner.user, owner.group) == 0 || errno == EPERM else {
        throw failure(.setAttributes, file)
      }
    }
    guard fchmod(file.rawValue, mode) == 0 else { throw failure(.setAttributes, file) }
  }

  package func rename(
    _ old: String, to new: String, _ rule: RenameRule
  ) throws(StorageError) {
    let flags: UInt32 =
      switch rule {
      case .replace: 0
      case .refuse: 1
      case .exchange: 2
      }
    guard strata_rename(old, new, flags) == 0 else { throw failure(.rename, new) }
  }

  package func remove(_ path: String) throws(StorageError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure(.remove, path) }
  }

  package var user: UInt32 { geteuid() }

  // No process outlives a start of the machine. Neither half of what the kernel makes is ever 0.
  private static let bootHigh = Atomic<UInt64>(0)
  private static let bootLow = Atomic<UInt64>(0)

  func bootID() -> BootID {
    let known = BootID(
      high: Self.bootHigh.load(ordering: .relaxed), low: Self.bootLow.load(ordering: .relaxed))
    if known.high != 0, known.low != 0 { return known }
    let read = readBootID()
    Self.bootHigh.store(read.high, ordering: .relaxed)
    Self.bootLow.store(read.low, ordering: .relaxed)
    return read
  }

  private func readBootID() -> BootID {
    let bytes: [UInt8]
    do {
      let file = try open("/proc/sys/kernel/random/boot_id", .read)
      defer { close(file) }
      bytes = try read(file, at: 0, count: 36)
    } catch {
      return BootID(high: 0, low: 0)
    }
    let digits = bytes.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    let words = stride(from: 0, to: min(digits.count, 32), by: 16).map {
      digits[$0..<min($0 + 16, digits.count)].reduce(UInt64(0)) { $0 << 4 | UInt64($1) }
    }
    return BootID(high: words.first ?? 0, low: words.dropFirst().first ?? 0)
  }

  func failure(_ operation: StorageError.Operation, _ path: String) -> StorageError {
    StorageError(operation, path, code: errno)
  }

  func failure(_ operation: StorageError.Operation, _ file: FileID) -> StorageError {
    failure(operation, file, code: errno)
  }

  /// The number of a descriptor says nothing to a person: the path is what the kernel knows.
  func failure(
    _ operation: StorageError.Operation, _ file: FileID, code: Int32
  ) -> StorageError {
    let link = "/proc/self/fd/\(file.rawValue)"
    do throws(StorageError) {
      let path = try resolve(link)
      if path != link { return StorageError(operation, path, code: code) }
    } catch {
      // Where there is no such directory, the number has to do.
    }
    return StorageError(operation, "file descriptor \(file.rawValue)", code: code)
  }
}

extension FileStatus {
  init(_ raw: stat) {
    self.init()
    device = UInt64(raw.st_dev)
    number = UInt64(raw.st_ino)
    size = Int(raw.st_size)
    modified = Int64(raw.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_mtim.tv_nsec)
    changed = Int64(raw.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(raw.st_ctim.tv_nsec)
    mode = UInt32(raw.st_mode) & 0o7777
    owner = FileOwner(user: raw.st_uid, group: raw.st_gid)
    isRegular = raw.st_mode & S_IFMT == S_IFREG
  }
}
