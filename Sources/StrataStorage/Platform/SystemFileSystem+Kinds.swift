import CStrata
import Glibc

/// Which file systems other machines may share, and where on this machine its processes meet.
extension SystemFileSystem {
  func kind(of directory: String) -> FileSystemKind {
    var path = directory
    var magic = strata_file_system_magic(path)
    while magic < 0 {
      // Where nothing can be said of it, nothing can be done there either.
      guard errno == ENOENT, path != "/", path != "." else { return .local }
      path = Path.directory(of: path)
      magic = strata_file_system_magic(path)
    }
    if magic == Self.userSpaceMagic { return Self.kindOfUserSpace(path) }
    if Self.memoryMagics.contains(magic) { return .memory }
    return Self.nameOfShared(magic).map { .shared($0) } ?? .local
  }

  /// `f_type` of those that a program serves.
  private static let userSpaceMagic: Int64 = 0x6573_5546

  /// `tmpfs` and `ramfs`.
  private static let memoryMagics: [Int64] = [0x0102_1994, 0x8584_58F6]

  private static func nameOfShared(_ magic: Int64) -> String? {
    switch magic {
    case 0x6969: "nfs"
    case 0xFF53_4D42: "cifs"
    case 0xFE53_4D42: "smb3"
    case 0x517B: "smb"
    case 0x0102_1997: "9p"
    case 0x5346_414F, 0x6B41_4653: "afs"
    case 0x00C3_6400: "ceph"
    case 0x0BD0_0BD0: "lustre"
    case 0x4750_4653: "gpfs"
    case 0x2003_0528: "orangefs"
    case 0x786F_4256: "vboxsf"
    case 0x7375_7245: "coda"
    case 0x0116_1970: "gfs2"
    case 0x7461_636F: "ocfs2"
    default: nil
    }
  }

  /// Of these it is known that they show what this machine has, and that their files can be mapped.
  private static let localUserSpaces: Set<String> = [
    "fuseblk", "fuse.bindfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs",
    "fuse.fuse-overlayfs",
  ]

  /// Any other one may be shared with other machines, or have files that can't be mapped.
  private static func kindOfUserSpace(_ path: String) -> FileSystemKind {
    var raw = stat()
    guard stat(path, &raw) == 0 else { return .shared("fuse") }
    // As the C library numbers them: 12 bits, 8, 12, and 32 that such a file system never needs.
    let device = "\(raw.st_dev >> 8 & 0xFFF):\(raw.st_dev & 0xFF | raw.st_dev >> 12 & 0xFFF00)"
    let name = mountedType(onDevice: device) ?? "fuse"
    return localUserSpaces.contains(name) ? .local : .shared(name)
  }

  /// What the kernel calls the type of the file system with this device number.
  private static func mountedType(onDevice device: String) -> String? {
    guard let table = fopen("/proc/self/mountinfo", "re") else { return nil }
    defer { fclose(table) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    // Safety: `getline` ends each line with a zero, in memory that it keeps until it is freed.
    while getline(&line, &capacity, table) > 0, let text = line {
      let words = String(cString: text).split(separator: " ")
      guard words.count > 2, words[2] == device, let dash = words.firstIndex(of: "-"),
        dash + 1 < words.count
      else { continue }
      return String(words[dash + 1])
    }
    return nil
  }

  // Safety: what `realpath` returns ends with a zero, and is freed here.
  func realPath(of directory: String) -> String {
    var rest = ""
    var path = directory
    while path != "/", path != "." {
      if let real = realpath(path, nil) {
        defer { free(real) }
        let start = String(cString: real)
        return rest.isEmpty ? start : Path.join(start, rest)
      }
      rest = rest.isEmpty ? Path.name(of: path) : Path.name(of: path) + "/" + rest
      path = Path.directory(of: path)
    }
    return directory
  }

  /// Made under another name first: nobody finds it before it belongs to `owner`.
  func claim(_ directory: String, for owner: UInt32) throws(StorageError) -> Bool {
    var raw = stat()
    if lstat(directory, &raw) != 0 {
      guard errno == ENOENT else { throw failure(.status, directory) }
      guard owner == user || user == 0 else { return false }
      try makeClaim(directory, for: owner)
      guard lstat(directory, &raw) == 0 else { throw failure(.status, directory) }
    }
    return raw.st_mode & S_IFMT == S_IFDIR && raw.st_uid == owner && raw.st_mode & 0o022 == 0
  }

  private func makeClaim(_ directory: String, for owner: UInt32) throws(StorageError) {
    let new = directory + ".\(ProcessEvents.processID)"
    guard mkdir(new, 0o700) == 0 else { throw failure(.makeDirectory, new) }
    // Others may pass, and see nothing. An empty one that came first may be replaced.
    guard chmod(new, 0o711) == 0, owner == user || lchown(new, owner, gid_t.max) == 0,
      Glibc.rename(new, directory) == 0
    else {
      let code = errno
      rmdir(new)
      if [EEXIST, ENOTEMPTY, EPERM, ENOTDIR].contains(code) { return }
      throw StorageError(.makeDirectory, directory, code: code)
    }
  }
}
