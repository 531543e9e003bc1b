import CStrata
import StrataSystem
import Synchronization

/// The real disk.
package final class SystemFileSystem: FileSystem {
  package init() {}

  /// Stores may have a quarter of the files that the process may have open, within limits.
  func hasRoom(forStores count: Int) -> Bool {
    count <= 16 || count <= min(strata_open_files_max() / 4, 1_024)
  }

  var isElevated: Bool { strata_is_set_uid() != 0 }

  package func close(_ file: FileID) { _ = StrataSystem.close(file.rawValue) }
  func keepFromChildren(_ file: FileID) { strata_file_keep_from_child(file.rawValue) }
  func closeKept(_ file: FileID) { strata_file_close(file.rawValue) }

  @inline(never)
  package func status(of path: String) throws(StorageError) -> FileStatus? {
    var path = path
    do throws(StorageError) {
      for _ in 0..<Path.linksMax {
        guard var raw = try look(path) else { return nil }
        if !raw.isLink { return FileStatus(raw) }
        if isOfKernel(path) {
          guard stat(path, &raw) == 0 else { throw failure(.status, path) }
          return FileStatus(raw)
        }
        guard let target = try destination(of: path) else { continue }
        path = target
      }
      throw StorageError(.status, path, code: ELOOP)
    } catch {
      if Self.isMissing(error.code) { return nil }
      throw error
    }
  }

  static func isMissing(_ code: Int32) -> Bool {
    code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG
  }

  /// Whether nothing has this name, not even a link, whoever made the way to it.
  static func isMissing(_ path: String) -> Bool {
    var raw = stat()
    return path.withCString {
      lstat($0, &raw) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }
  }

  /// The same of a name in a directory. No path is made of them: a text of 64 bytes and more has
  /// parts whose type the runtime has to make.
  package static func isMissing(_ name: StaticString, in directory: String) -> Bool {
    // Safety: a static string of more than one character ends with a zero.
    let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    return directory.withCString { strata_is_missing($0, name) != 0 }
  }

  /// Nil if there is nothing: most looks of a first read find that, and to make an error is slow.
  private func look(_ path: String) throws(StorageError) -> stat? {
    try at(path) { spot throws(StorageError) in
      var raw = stat()
      // The text itself, of which a parameter would make an array.
      let code = spot.name.withCString {
        fstatat(spot.directory, $0, &raw, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
      }
      if code == 0 { return raw }
      if Self.isMissing(code) { return nil }
      throw StorageError(.status, path, code: code)
    }
  }

  func status(of file: FileID) throws(StorageError) -> FileStatus {
    var raw = stat()
    guard fstat(file.rawValue, &raw) == 0 else { throw failure(.status, file) }
    return FileStatus(raw)
  }

  package func resolve(_ path: String) throws(StorageError) -> String {
    try (self as any FileSystem).resolve(path)
  }

  @inline(never)
  package func destination(of path: String) throws(StorageError) -> String? {
    do throws(StorageError) {
      return try linkDestination(of: path)
    } catch {
      // What does not exist is no link, nor is anything in a directory that does not exist.
      if Self.isMissing(error.code) { return nil }
      throw error
    }
  }

  @inline(never)
  private func linkDestination(of path: String) throws(StorageError) -> String? {
    try at(path) { spot throws(StorageError) in
      guard let around = spot.around else {
        // Nobody else can exchange it between these calls.
        guard let target = try Self.target(ofLink: spot.name, in: spot.directory, path: path)
        else { return nil }
        var raw = stat()
        guard fstatat(spot.directory, spot.name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else {
          throw failure(.status, path)
        }
        guard trusts(raw.st_uid) else { throw refusal(.open, path, linkOf: raw.st_uid) }
        return target
      }
      let link = spot.open(Self.placeOnly)
      guard link >= 0 else { throw failure(.open, path) }
      defer { _ = StrataSystem.close(link) }
      var raw = stat()
      guard fstat(link, &raw) == 0 else { throw failure(.status, path) }
      if !raw.isLink { return nil }
      guard trusts(raw.st_uid), trusts(around.st_uid) else {
        throw refusal(.open, path, linkOf: raw.st_uid)
      }
      return try Self.target(ofLink: "", in: link, path: path)
    }
  }

  package func names(in directory: String) throws(StorageError) -> [String] {
    let file = try openToList(directory, .list)
    defer { _ = StrataSystem.close(file) }
    return try Self.names(in: file)
  }

  /// Opens a directory to read its names, or to make them durable.
  func openToList(
    _ path: String, _ operation: StorageError.Operation
  ) throws(StorageError) -> Int32 {
    var path = path
    for _ in 0..<Path.linksMax {
      let file = try at(path) { spot throws(StorageError) in
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        let file = spot.open(flags)
        guard file >= 0 || errno == ENOTDIR || errno == ELOOP else {
          throw failure(operation, path)
        }
        return file
      }
      if file >= 0 { return file }
      guard let target = try destination(of: path) else {
        throw StorageError(operation, path, code: ENOTDIR)
      }
      path = target
    }
    throw StorageError(operation, path, code: ELOOP)
  }

  static func names(in directory: Int32) throws(StorageError) -> [String] {
    // The stream closes its descriptor, so it gets one of its own.
    let copy = fcntl(directory, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0, let stream = fdopendir(copy) else {
      if copy >= 0 { _ = StrataSystem.close(copy) }
      throw StorageError(.list, "file descriptor \(directory)", code: errno)
    }
    defer { closedir(stream) }
    return try names(in: "file descriptor \(directory)") { readdir(stream) }
  }

  // Safety: a name ends within the entry, which is read before the next one is asked for.
  /// - Parameter next: gives the next entry; nil at the end, or with the reason in `errno`.
  static func names(
    in directory: String, _ next: () -> UnsafeMutablePointer<dirent>?
  ) throws(StorageError) -> [String] {
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = next() else {
        if errno != 0 { throw StorageError(.list, directory, code: errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }

  package func setAttributes(
    _ file: FileID, mode: UInt32, owner: FileOwner?
  ) throws(StorageError) {
    if let owner, owner.user != user || owner.group != getegid() {
      guard fchown(file.rawValue, owner.user, owner.group) == 0 || errno == EPERM else {
        throw failure(.setAttributes, file)
      }
    }
    guard fchmod(file.rawValue, mode) == 0 else { throw failure(.setAttributes, file) }
  }

  @inline(never)
  package func rename(
    _ old: String, to new: String, _ rule: RenameRule
  ) throws(StorageError) {
    let flags: UInt32 =
      switch rule {
      case .replace: 0
      case .refuse: 1
      case .exchange: 2
      }
    try at(old) { from throws(StorageError) in
      try at(new) { to throws(StorageError) in
        guard strata_rename(from.directory, from.name, to.directory, to.name, flags) == 0 else {
          let code = errno
          let isUnknown = code == EPERM && isRefused(flags)
          throw StorageError(.rename, new, code: isUnknown ? SystemCode.unsupported : code)
        }
      }
    }
  }

  /// Whether a filter of system calls refuses every call with these flags.
  private func isRefused(_ flags: UInt32) -> Bool {
    // The kernel itself would say that the name does not exist.
    flags != 0 && strata_rename(AT_FDCWD, "", AT_FDCWD, "", flags) != 0 && errno == EPERM
  }

  package func link(_ old: String, to new: String) throws(StorageError) {
    try at(old) { from throws(StorageError) in
      try at(new) { to throws(StorageError) in
        guard linkat(from.directory, from.name, to.directory, to.name, 0) == 0 else {
          throw failure(.rename, new)
        }
      }
    }
  }

  @inline(never)
  package func remove(_ path: String) throws(StorageError) {
    try at(path) { spot throws(StorageError) in
      guard unlinkat(spot.directory, spot.name, 0) == 0 || errno == ENOENT else {
        throw failure(.remove, path)
      }
    }
  }

  package var user: UInt32 { strata_effective_user() }

  // Ordering: relaxed, since each half says by itself whether it is known.
  // Kept: no process outlives the boot. Neither half of what the kernel makes is ever 0.
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
    let text: String
    do {
      text = try firstLine(of: "/proc/sys/kernel/random/boot_id", atMost: 36)
    } catch {
      return BootID(high: 0, low: 0)
    }
    // Without arrays of numbers, which are types that the runtime has to make.
    var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
    for byte in text.utf8 {
      guard let digit = Self.hexDigit(byte), count < 32 else { continue }
      if count < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      count += 1
    }
    return BootID(high: high, low: low)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  @inline(never)
  func failure(_ operation: StorageError.Operation, _ path: String) -> StorageError {
    StorageError(operation, path, code: errno)
  }

  func failure(_ operation: StorageError.Operation, _ file: FileID) -> StorageError {
    failure(operation, file, code: errno)
  }

  /// A descriptor's number says nothing to a person: the path is what the kernel knows.
  func failure(
    _ operation: StorageError.Operation, _ file: FileID, code: Int32
  ) -> StorageError {
    // Without /proc, the number has to do.
    if let path = Self.linkTarget(of: "/proc/self/fd/\(file.rawValue)") {
      return StorageError(operation, path, code: code)
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
    isRegular = raw.isRegular
    nameCount = Int(raw.st_nlink)
  }
}
