import Glibc
import Testing

@testable import StrataStorage

/// A file system of some kind, made for one test on a loop device or in memory, whose power can be
/// cut. Only root can make one.
final class RealFileSystem {
  enum Kind: String, CaseIterable, Sendable {
    case ext4, xfs, btrfs, tmpfs, overlay, bindfs, sshfs

    /// Whether it outlives a power cut.
    var lasts: Bool { self == .ext4 || self == .xfs || self == .btrfs }
  }

  /// Why there can be none here.
  struct Unavailable: Error { let reason: String }

  let kind: Kind
  /// Where tests put files that are to outlive all.
  let base: String
  private let mountPoint: String
  private var image: String
  private var device: String?
  private var mounts: [String] = []
  private var cuts = 0

  /// What stands for the machine's start.
  private(set) var boot: String

  /// A directory in it.
  var directory: String { mountPoint + "/home" }

  init(_ kind: Kind) throws {
    guard geteuid() == 0 else { throw Unavailable(reason: "only root can mount \(kind)") }
    var template = Array("/tmp/strata-disk-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Unavailable(reason: "no directory in /tmp") }
    self.kind = kind
    base = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    mountPoint = base + "/mount"
    image = base + "/image"
    boot = base + "/boot"
    mkdir(mountPoint, 0o755)
    try startMachine()
    try make()
    guard mkdir(directory, 0o700) == 0 else { throw Unavailable(reason: "\(kind) is read-only") }
  }

  deinit {
    do {
      while let mount = mounts.popLast() {
        if try !unmount(mount, within: 10) { try run("umount", "-l", mount) }
      }
      if let device { try run("losetup", "-d", device) }
      if kind == .sshfs { try run("rm", "-rf", "/var/tmp/strata-0" + base) }
      try run("rm", "-rf", base)
    } catch { Issue.record("\(error)") }
  }

  // -- Making

  private func make() throws {
    switch kind {
    case .ext4: try makeDisk("128M", "mkfs.ext4", "-q")
    case .xfs: try makeDisk("320M", "mkfs.xfs", "-q")
    case .btrfs:
      // The image can be copied at one moment where files can share their blocks.
      try makeImage("2G", "mkfs.xfs", "-q")
      let host = base + "/host"
      mkdir(host, 0o755)
      try mount("-o", "loop", image, at: host)
      image = host + "/image"
      try makeDisk("160M", "mkfs.btrfs", "-q")
    case .tmpfs: try mountMemory(at: mountPoint)
    case .overlay:
      let parts = try layers(["lower", "upper", "work"])
      try mount(
        "-t", "overlay", "-o", "lowerdir=\(parts[0]),upperdir=\(parts[1]),workdir=\(parts[2])",
        "overlay", at: mountPoint)
    case .bindfs:
      guard access("/dev/fuse", F_OK) == 0 else { throw Unavailable(reason: "no /dev/fuse") }
      let parts = try layers(["below"])
      try need("bindfs", try run("bindfs", parts[0], mountPoint))
      mounts.append(mountPoint)
    case .sshfs:
      guard access("/dev/fuse", F_OK) == 0 else { throw Unavailable(reason: "no /dev/fuse") }
      let parts = try layers(["below"])
      // Its files can't be mapped.
      let script =
        "mkfifo \(base)/pipe; (/usr/lib/openssh/sftp-server < \(base)/pipe"
        + " | sshfs :\(parts[0]) \(mountPoint) -o passive,direct_io > \(base)/pipe) 2> /dev/null &"
        + " for i in $(seq 600); do mountpoint -q \(mountPoint) && exit; sleep 0.1; done; exit 1"
      try need("sshfs", try run("sh", "-c", script))
      mounts.append(mountPoint)
    }
  }

  private func layers(_ names: [String]) throws -> [String] {
    let memory = base + "/memory"
    mkdir(memory, 0o755)
    try mountMemory(at: memory)
    return names.map {
      mkdir(memory + "/" + $0, 0o755)
      return memory + "/" + $0
    }
  }

  private func mountMemory(at path: String) throws {
    try mount("-t", "tmpfs", "-o", "size=24m", "tmpfs", at: path)
  }

  private func makeImage(_ size: String, _ maker: String, _ option: String) throws {
    try need("truncate", try run("truncate", "-s", size, image))
    try need(maker, try run(maker, option, image))
  }

  private func makeDisk(_ size: String, _ maker: String, _ option: String) throws {
    try makeImage(size, maker, option)
    try attach()
  }

  private func attach() throws {
    device = try need("losetup", try run("losetup", "--find", "--show", image))
    try mount(device ?? "", at: mountPoint)
  }

  private func mount(_ words: String..., at path: String) throws {
    let line = (["mount"] + words + [path]).joined(separator: " ")
    try need(line, try run("sh", "-c", line))
    mounts.append(path)
  }

  @discardableResult
  private func need(_ what: String, _ said: String?) throws -> String {
    guard let said else { throw Unavailable(reason: "for \(kind): \(what) failed") }
    return said
  }

  /// As long as a process that was killed, or one that was started by another test, still has the
  /// file system in its own list of mounts, the device stays, and the old state with it.
  private func detach() throws {
    guard let device else { return }
    try run("losetup", "-d", device)
    let isGone = try holds(within: 600) {
      try run("sh", "-c", "losetup \(device) | grep -q '(\(image)'") == nil
    }
    if !isGone { throw Unavailable(reason: "\(device) is in use") }
    self.device = nil
  }

  private func unmount(_ path: String, within seconds: Double = 600) throws -> Bool {
    try holds(within: seconds) { try run("umount", path) != nil }
  }

  // -- Power

  /// Cuts the power: what is not on the disk at this moment never gets there.
  ///
  /// ext4 and xfs are shut down without their logs. Of btrfs, which can't be, the disk is copied
  /// as it is at one moment: all that was handed to it is there, whether it was flushed or not.
  func cut() throws {
    cuts += 1
    if kind == .btrfs {
      try need("cp", try run("cp", "--reflink=always", image, image + ".\(cuts)"))
    } else {
      let script =
        "import fcntl,os,struct,sys\n"
        + "file=os.open(sys.argv[1],os.O_RDONLY)\n"
        + "fcntl.ioctl(file,0x8004587d,struct.pack('I',2))"
      try need("the shutdown", try run("python3", "-c", script, mountPoint))
    }
  }

  /// Starts the machine again. No process may use the file system any more.
  func restart() throws {
    mounts.removeLast()
    guard try unmount(mountPoint) else { throw Unavailable(reason: "\(mountPoint) is in use") }
    try detach()
    if kind == .btrfs {
      unlink(image)
      rename(image + ".\(cuts)", image)
    }
    try attach()
    guard access(directory, F_OK) == 0 else {
      throw Unavailable(reason: "\(image) is not mounted again")
    }
    try startMachine()
  }

  private func startMachine() throws {
    boot = base + "/boot.\(cuts)"
    let id = "00000000-0000-4000-8000-" + String(1_000_000_000_000 - cuts).suffix(12)
    try need("boot", try run("sh", "-c", "echo \(id) > \(boot)"))
  }

  // -- Space

  /// Leaves no space.
  func fill() throws {
    // Both end when nothing more fits.
    for size in ["1M", "4k"] {
      _ = try run("sh", "-c", "dd if=/dev/zero bs=\(size) 2>&1 >> \(mountPoint)/filler")
      _ = try run("sync", "-f", mountPoint)
    }
  }

  func free() throws {
    try run("rm", mountPoint + "/filler")
    try run("sync", "-f", mountPoint)
  }
}
