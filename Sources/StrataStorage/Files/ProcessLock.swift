import CStrata

/// A lock between processes, which the kernel releases when its owner dies.
package final class ProcessLock: Sendable {
  private let file: FileID
  private let disk = SystemFileSystem()

  private static let pause: Int64 = 1_000_000

  /// Takes the lock on this file, which is made if it is missing; waits for others to release it.
  /// - Throws: also if another process holds it for longer than `patience` nanoseconds.
  package init(
    _ path: String, mode: UInt32 = 0o600, patience: Int64 = 30_000_000_000
  ) throws(StorageError) {
    file = try disk.open(path, .make(mode: mode))
    let end = strata_coarse_now() + patience
    do throws(StorageError) {
      while try !disk.lockByte(file, 0) {
        guard strata_coarse_now() < end else {
          throw StorageError(.lock, path, reason: "another process holds it and does not finish")
        }
        Alarm().sleep(0, atMost: Self.pause)
      }
    } catch {
      disk.close(file)
      throw error
    }
  }

  deinit { disk.close(file) }
}
