import CStrata
import Synchronization

/// What must be known of version 1 journals: a lock guarded appending to them, and the word held a
/// length of 32 bits, 31 bits to check it, and whether the journal was retired.
extension Journal {
  private static let lockOffset = 192
  private static let lockOwner: UInt32 = 1 << 30
  private static let lockPatience: Int64 = 1_000_000_000
  private static let version1RetiredBit: UInt64 = 1 << 63

  /// Keeps programs that still use it from appending any more.
  // Ordering: an ordinary lock, as those programs take it; the word is theirs, too.
  /// - Returns: its length, or 0 if that is not known; and whether it was retired before.
  func retireWithLock() -> (length: Int, wasRetired: Bool) {
    let lock = atomic32(Self.lockOffset)
    let end = strata_coarse_now() + Self.lockPatience
    // A process that holds it for longer is dead or stopped.
    while strata_coarse_now() < end {
      let isTaken = lock.pointee.compareExchange(
        expected: 0, desired: Self.lockOwner, successOrdering: .acquiring,
        failureOrdering: .relaxed
      ).exchanged
      if isTaken { break }
      strata_yield()
    }
    let old = word.pointee.bitwiseOr(Self.version1RetiredBit, ordering: .acquiringAndReleasing)
      .oldValue
    lock.pointee.store(0, ordering: .releasing)
    return (Self.version1Length(old), old & Self.version1RetiredBit != 0)
  }

  private static func version1Length(_ word: UInt64) -> Int {
    let low = UInt64(UInt32(truncatingIfNeeded: word))
    let check = (low &* 0x9E37_79B9_7F4A_7C15) >> 33
    return word & ~version1RetiredBit == low | check << 32 ? Int(low) : 0
  }
}
