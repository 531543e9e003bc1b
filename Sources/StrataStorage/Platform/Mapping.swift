/// A file's bytes in memory, shared with every process that maps it.
///
/// The mapping is longer than the file, so that a growing file needs no new one. Should someone
/// cut the file off, `isLost` becomes true and the bytes read as zeros; nothing is signalled.
final class Mapping: @unchecked Sendable {
  // Safety: both are constants; what they point at is guarded by the journal's own protocol.
  let base: UnsafeMutableRawPointer
  let count: Int

  private let lost: @Sendable () -> Bool
  private let release: @Sendable () -> Void

  init(
    base: UnsafeMutableRawPointer, count: Int,
    lost: @escaping @Sendable () -> Bool, release: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.count = count
    self.lost = lost
    self.release = release
  }

  deinit { release() }

  var isLost: Bool { lost() }
}
