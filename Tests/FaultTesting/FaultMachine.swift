import CStrata
import StrataTesting

@testable import StrataStorage

/// A machine with a disk that can lose what was not synchronized, and processes that can die.
///
/// The fault model. *Death of processes*: all bytes that were written or stored through a mapping
/// stay, in that order; the kernel's byte locks of the dead are lifted; nothing else of theirs is
/// undone. *Power cut*: of each file, every 512-byte sector that changed since the file was last
/// synchronized is, independently, the old one, the new one, or torn at a multiple of 8 bytes; its
/// length is the old or the new one. Of each directory's changes since it was last synchronized, a
/// prefix survives, each directory for itself; a new directory whose parent was not synchronized
/// may be gone, with all in it. Names that were taken away may be back with the files that they
/// had, although that was synchronized: so it is on btrfs where a directory is synchronized by one
/// while another takes a name away. The machine has another boot id afterwards, and no locks.
/// *Errors*: the n-th call, or every call from the n-th on, fails with a given number, and so do
/// calls that only look, or ask the kernel for something; of a file that could not be synchronized,
/// the changed pages are taken for written until they change again. *Plain names*: files can get a
/// second name, but neither trade names nor take only those that are free. *Shared*: the same on a
/// disk of the network, and a directory of this machine.
final class FaultMachine: @unchecked Sendable {
  var names: [String: FaultFile] = [:]
  var directories: Set<String> = ["/"]
  /// Those whose names may not be on the disk.
  var unsyncedDirectories: Set<String> = []
  var boot: UInt64 = 1
  var clock: Int64 = 0
  var nextNumber: UInt64 = 1

  /// The names as they are on the disk, and what was done to them since, directory by directory.
  var durableNames: [String: FaultFile] = [:]
  var unsynced: [String: [NameChange]] = [:]
  /// The names that were taken away since the machine was started, with what they named.
  private(set) var pastNames: [(path: String, file: FaultFile)] = []

  /// Whether a name comes back only with the last file that had it. One that was replaced before
  /// can't, where the one that replaced it was durable under this name.
  var forgetsReplaced = false

  /// Those of another user than the processes'.
  var foreignDirectories: Set<String> = []

  /// Byte locks: which process holds which byte of which file.
  var locks: [LockedByte: Int] = [:]
  private var disks: [WeakDisk] = []

  // The machine of a test that looks at thousands must go with its last process.
  private struct WeakDisk { weak var disk: FaultDisk? }

  enum Kind: CaseIterable {
    case ordinary
    /// Names can't be traded, nor given only where they are free, in one step.
    case plainNames
    /// The same but for `/var/tmp`, and other machines may share the disk.
    case shared
    /// The same, but `/var/tmp` is gone after a power cut.
    case sharedInMemory

    var isShared: Bool { self == .shared || self == .sharedInMemory }
  }

  let kind: Kind

  init(_ kind: Kind = .ordinary) {
    self.kind = kind
    if kind.isShared { directories.formUnion(["/var", "/var/tmp"]) }
  }

  deinit { mappingRecord.deallocate() }

  /// Whether a path is one of this machine's own where the disk is shared.
  static func isCommon(_ path: String) -> Bool { (path + "/").hasPrefix("/var/tmp/") }

  /// A domain's files as processes of this machine use them.
  func placed(_ paths: StorePaths) -> StorePaths {
    paths.placed(on: FaultDisk(on: self, process: -1))
  }

  /// How many nanoseconds to wait for others who write the property list.
  var flushPatience: Int64 = 10_000_000_000
  /// How many nanoseconds to wait for one that replaces a destroyed journal.
  var mendingPatience: Int64 = 1_000_000
  /// How many nanoseconds others have to bring what they know of a journal that was destroyed.
  var settlingTime: Int64 = 0
  /// How long to wait for other processes, which in most tests do nothing meanwhile.
  var patience: Int64 = 0
  /// What a journal takes beyond twice what is in it before it is compacted.
  var compactionSizeMin = 1 << 18
  /// The size from which on a property list is searched for a process's first keys.
  var searchSizeMin = 1 << 19

  /// Whether every mapping is found cut off, as on a full disk that copies what is overwritten.
  var losesMappings = false {
    didSet { mappingRecord.pointee.lost = losesMappings ? 1 : 0 }
  }
  // Safety: allocated as long as the machine lives, which each mapping retains.
  /// What the kernel's signal would note of all mappings.
  let mappingRecord: UnsafeMutablePointer<strata_mapping> = {
    let record = UnsafeMutablePointer<strata_mapping>.allocate(capacity: 1)
    record.initialize(to: strata_mapping())
    return record
  }()

  /// Counts the calls that change something, and the moments within an append.
  private(set) var calls = 0
  /// Called before each of them.
  var beforeCall: ((Int, String) -> Void)?
  /// Called before each call that changes nothing on the disk.
  var beforeLook: ((QuietCall) -> Void)?
  /// Called when a process asks for the boot id, which is no call of the kernel's: it does so
  /// between a journal's word and the records that it reads.
  var beforeBootID: (() -> Void)?
  /// Fails a call: given its number, what it is and the calling process.
  var error: ((Int, String, Int) -> Int32?)?
  /// Fails a call that changes nothing on the disk: given what it is and the calling process.
  var quietError: ((QuietCall, Int) -> Int32?)?
  /// The same: given what it is and the file's path, which is empty where there is none.
  var pathError: ((QuietCall, String) -> Int32?)?
  /// Fails opening a file that is there for writing, but not for reading: given its path and the
  /// calling process.
  var writingError: ((String, Int) -> Int32?)?

  /// How many bytes were read from files.
  var bytesRead = 0

  /// What can fail although it changes nothing on the disk.
  enum QuietCall: Hashable, CaseIterable {
    case open, status, statusOfFile, destination, names, read, map, lock, feed, watch, thread
  }

  /// What one call does to the names of a directory; it survives whole or not at all.
  typealias NameChange = [(path: String, file: FaultFile?)]

  struct LockedByte: Hashable {
    let file: UInt64
    let offset: Int64
  }

  /// The disk for a process that keeps files of its own on it.
  var disk: Disk { Disk(FaultDisk(on: self, process: disks.count)) }

  /// Another process on this machine.
  /// - Parameter boot: what it takes for the boot id; nil stands for the machine's own.
  func process(boot: UInt64? = nil, feedMode: FeedMode = .chosen) -> StorageProcess {
    let disk = FaultDisk(on: self, process: disks.count, boot: boot)
    disks.append(WeakDisk(disk: disk))
    return StorageProcess(on: disk, isAutomatic: false, feedMode: feedMode)
  }

  func step(_ call: String, _ process: Int) throws(StorageError) {
    calls += 1
    precondition(!isAnyFalselyIdle, "before \(call), a journal passes for idle that is not")
    beforeCall?(calls, call)
    if let code = error?(calls, call, process) {
      throw StorageError(.write, call, code: code)
    }
  }

  func quiet(_ call: QuietCall, _ path: String, _ process: Int) throws(StorageError) {
    beforeLook?(call)
    guard let code = quietError?(call, process) ?? pathError?(call, path) else { return }
    let operation: StorageError.Operation =
      switch call {
      case .open, .destination: .open
      case .status, .statusOfFile: .status
      case .names: .list
      case .read: .read
      case .map: .map
      case .lock: .lock
      case .feed, .watch, .thread: .watch
      }
    throw StorageError(operation, path, code: code)
  }

  /// From now on nobody can open the file at `path` for writing.
  func refuseWriting(_ path: String, _ code: Int32 = SystemCode.denied) {
    writingError = { other, _ in other == path ? code : nil }
  }

  func tick() -> Int64 {
    clock += 1
    return clock
  }

  func makeFile(mode: UInt32) -> FaultFile {
    nextNumber += 1
    let file = FaultFile(number: nextNumber, mode: mode)
    file.modified = tick()
    file.changed = file.modified
    return file
  }

  /// Gives names to files, or (nil) takes them away: one change of one directory.
  func rename(_ change: NameChange) {
    for (path, file) in change {
      if let old = names[path], old !== file { pastNames.append((path, old)) }
      names[path] = file
    }
    let directory = change.first.map { Path.directory(of: $0.path) } ?? "/"
    unsynced[directory, default: []].append(change)
    for (path, _) in change { announce(path) }
  }

  func synchronizeNames(in directory: String) {
    unsyncedDirectories = unsyncedDirectories.filter { Path.directory(of: $0) != directory }
    for change in unsynced.removeValue(forKey: directory) ?? [] {
      for (path, file) in change { durableNames[path] = file }
    }
  }

  /// Lets go of what the kernel takes from a dead process.
  func kill(_ process: Int) { locks = locks.filter { $0.value != process } }

  /// Tells every process that watches the directory.
  func announce(_ path: String) {
    for disk in disks { disk.disk?.hear(path) }
  }

  // -- Hands from outside

  /// Makes the directories that lead to a file.
  func makeParents(of path: String) {
    var directory = Path.directory(of: path)
    while directories.insert(directory).inserted { directory = Path.directory(of: directory) }
  }

  /// Writes other bytes into a file, as careless editors do.
  func editInPlace(_ path: String, _ bytes: [UInt8]) {
    guard let file = names[path] else { return }
    file.setContents(bytes)
    file.modified = tick()
    file.changed = file.modified
    announce(path)
  }

  /// Removes a file by hand. No power cut brings back more than that the removal never was.
  func remove(_ path: String) {
    rename([(path, nil)])
    pastNames.removeAll { $0.path == path }
  }

  /// Has a byte of a file rot, unnoticed.
  func damage(_ path: String, at offset: Int) {
    guard let file = names[path] else { return }
    var bytes = file.bytes
    bytes[offset] ^= 0xFF
    file.setContents(bytes)
  }

  /// Replaces a file by renaming another one over it, as careful editors do.
  /// - Parameter isElsewhere: whether another machine does, of which the kernel knows nothing.
  func edit(_ path: String, _ bytes: [UInt8], isElsewhere: Bool = false) {
    let file = makeFile(mode: 0o600)
    file.setContents(bytes)
    let listeners = disks
    if isElsewhere { disks = [] }
    rename([(path, file)])
    disks = listeners
    synchronizeNames(in: Path.directory(of: path))
  }
}
