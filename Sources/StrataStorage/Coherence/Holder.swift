/// This process among those that write in one directory: a number, and the kernel's lock that
/// proves the process alive.
final class Holder: Sendable {
  let path: String
  let number: UInt32
  let status: FileStatus
  private let file: FileID
  private let disk: any FileSystem
  private let forks = ProcessEvents.forks

  private static let numbers: ClosedRange<UInt32> = 1...(1 << 30)
  /// Bytes past those of the processes: one for making journals, and many for checkpoints.
  private static let makingByte: Int64 = 1 << 31
  private static let checkpointBytes: Int64 = 1 << 32

  init(_ paths: StorePaths, on disk: any FileSystem) throws(StorageError) {
    path = paths.holders
    self.disk = disk
    file = try disk.open(paths.holders, .make(mode: paths.fileMode))
    // A child would keep its parent's locks for as long as it lives.
    disk.keepFromChildren(file)
    do {
      status = try disk.status(of: file)
      number = try Self.takeNumber(file, disk)
    } catch {
      disk.closeKept(file)
      throw error
    }
  }

  deinit { if !isStale { disk.closeKept(file) } }

  /// Whether this is the parent's: a child is another process.
  var isStale: Bool { forks != ProcessEvents.forks }

  func isAlive(_ number: UInt32) -> Bool {
    Self.numbers.contains(number) && disk.isByteLocked(file, Int64(number))
  }

  /// Wakes whoever watches the directory.
  func signal() { disk.signal(file) }

  /// Keeps other processes from checkpointing the domain; false when one is at it.
  func beginCheckpoint(of name: String) throws(StorageError) -> Bool {
    try disk.lockByte(file, Self.byte(of: name))
  }

  func endCheckpoint(of name: String) { disk.unlockByte(file, Self.byte(of: name)) }

  func beginMaking() throws(StorageError) -> Bool { try disk.lockByte(file, Self.makingByte) }
  func endMaking() { disk.unlockByte(file, Self.makingByte) }

  private static func byte(of name: String) -> Int64 {
    checkpointBytes + Int64(checksum32([UInt8](name.utf8)))
  }

  private static func takeNumber(
    _ file: FileID, _ disk: any FileSystem
  ) throws(StorageError) -> UInt32 {
    for _ in 0..<64 {
      let number = UInt32.random(in: numbers)
      if try disk.lockByte(file, Int64(number)) { return number }
    }
    throw StorageError(.lock, "holders", reason: "every byte that was tried is locked")
  }
}
