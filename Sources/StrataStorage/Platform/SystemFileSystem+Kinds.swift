import CStrata
import StrataSystem

/// Which file systems other machines may share, and where on this machine processes meet then.
extension SystemFileSystem {
  func kind(of directory: String) -> FileSystemKind {
    KnownKinds.ofProcess.kind(of: directory, Self.findKind)
  }

  private static func findKind(of directory: String) -> FileSystemKind {
    let magic = directory.withCString { strata_file_system_magic($0) }
    if magic < 0 {
      // Where this user may not look, nothing can be stored either. After any other error, as of a
      // server that does not answer, the next answer may be any.
      if errno == EACCES || Path.isTop(directory) { return .local }
      guard [ENOENT, ENOTDIR, ENAMETOOLONG].contains(errno) else { return .shared("unknown") }
      return KnownKinds.ofProcess.kind(of: Path.directory(of: directory), findKind)
    }
    if magic == userSpaceMagic { return kindOfUserSpace(directory) }
    if isOfMemory(magic) { return .memory }
    return nameOfShared(magic).map { .shared($0) } ?? .local
  }

  /// The `f_type` of file systems that a program serves (FUSE).
  private static let userSpaceMagic: Int64 = 0x6573_5546

  /// `tmpfs` and `ramfs`.
  private static func isOfMemory(_ magic: Int64) -> Bool {
    magic == 0x0102_1994 || magic == 0x8584_58F6
  }

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
    case 0x1983_0326: "beegfs"
    case 0xAAD7_AAEA: "panfs"
    case 0xBACB_ACBC: "vmhgfs"
    case 0x6163_6673: "acfs"
    case 0x0187: "autofs"
    default: nil
    }
  }

  /// Known to show only what this machine has, and to have files that can be mapped.
  private static let localUserSpaces: Set<String> = [
    "fuseblk", "fuse.bindfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs",
    "fuse.fuse-overlayfs",
  ]

  /// Any other may be shared with other machines, or have files that can't be mapped.
  private static func kindOfUserSpace(_ path: String) -> FileSystemKind {
    var raw = stat()
    guard stat(path, &raw) == 0 else { return .shared("fuse") }
    // As the C library packs them: minor 8 bits, major 12, minor 12; such a file system needs no
    // more.
    let device = "\(raw.st_dev >> 8 & 0xFFF):\(raw.st_dev & 0xFF | raw.st_dev >> 12 & 0xFFF00)"
    let name = mountedType(onDevice: device) ?? "fuse"
    return localUserSpaces.contains(name) ? .local : .shared(name)
  }

  /// The type of the file system with this device number, as the kernel names it.
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

  func standing(
    of place: MachinePlace, making: Bool
  ) throws(StorageError) -> MachinePlaceStanding {
    var raw = stat()
    if lstat(place.path, &raw) != 0 {
      guard errno == ENOENT else { throw failure(.status, place.path) }
      guard making, place.owner == user || user == 0 else { return .missing }
      try make(place)
      guard lstat(place.path, &raw) == 0 else { throw failure(.status, place.path) }
    }
    let isSound = raw.isDirectory && raw.st_uid == place.owner && raw.st_mode & 0o022 == 0
    return isSound ? .sound : .unsound
  }

  /// Makes it under another name first, so that nobody finds it before it belongs to its owner.
  private func make(_ place: MachinePlace) throws(StorageError) {
    let new = place.path + "." + String(UInt64.random(in: 0 ... .max), radix: 16)
    guard mkdir(new, 0o700) == 0 else { throw failure(.makeDirectory, place.path) }
    // Others may pass, but not list it. An empty directory that was there before may be replaced.
    guard chmod(new, 0o711) == 0,
      place.owner == user || lchown(new, place.owner, gid_t.max) == 0,
      StrataSystem.rename(new, place.path) == 0
    else {
      let code = errno
      rmdir(new)
      if [EEXIST, ENOTEMPTY, EPERM, EACCES, ENOTDIR].contains(code) { return }
      throw StorageError(.makeDirectory, place.path, code: code)
    }
  }
}
