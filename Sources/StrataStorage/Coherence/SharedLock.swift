import CStrata
import Synchronization

/// The lock of a domain between processes, in one word of its journal.
///
/// The word is 0, or the number of the process that holds the lock, with a bit that says whether
/// others wait. Taking it and giving it back cost one atomic operation each. A holder that died is
/// found by the kernel's lock on the holder's byte, which dies with its process: whoever waits
/// asks, and takes the lock over. Nothing in the word is trusted: random bytes name no living
/// holder.
struct SharedLock {
  // Safety: the word lies in a mapping that the caller keeps alive.
  let word: UnsafeMutablePointer<Atomic<UInt32>>

  private static let waitersBit: UInt32 = 1 << 31
  private static let spinsMax = 100
  private static let patience: Int64 = 5_000_000

  /// - Parameters:
  ///   - own: this process's number; only one of its threads asks at a time.
  ///   - isAlive: whether the process with that number still runs.
  @inline(__always)
  func lock(as own: UInt32, isAlive: (UInt32) -> Bool) {
    if exchange(0, own) { return }
    lockSlowly(as: own, isAlive: isAlive)
  }

  func unlock() {
    let old = word.pointee.exchange(0, ordering: .sequentiallyConsistent)
    if old & Self.waitersBit != 0 {
      strata_futex_wake(raw, 1)
      // Else whoever sets without a pause takes it again before the one that was woken runs.
      strata_yield()
    }
  }

  /// The number of the process that holds the lock, of which this is the word.
  static func holder(in word: UInt32) -> UInt32 { word & ~waitersBit }

  private func lockSlowly(as own: UInt32, isAlive: (UInt32) -> Bool) {
    for _ in 0..<Self.spinsMax {
      strata_pause()
      if word.pointee.load(ordering: .relaxed) == 0, exchange(0, own) { return }
    }
    // Whoever slept may not be the only one: from here on the lock is taken with the bit set.
    let taken = own | Self.waitersBit
    while true {
      let seen = word.pointee.load(ordering: .relaxed)
      let holder = seen & ~Self.waitersBit
      if holder == 0 || holder == own {
        if exchange(seen, taken) { return }
      } else if seen & Self.waitersBit == 0 {
        _ = exchange(seen, seen | Self.waitersBit)
      } else if isAlive(holder) {
        // Should it die now, the kernel wakes nobody: hence the limit.
        strata_futex_wait(raw, seen, Self.patience)
      } else if exchange(seen, taken) {
        return
      }
    }
  }

  private func exchange(_ old: UInt32, _ new: UInt32) -> Bool {
    word.pointee.compareExchange(
      expected: old, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged
  }

  private var raw: UnsafeMutablePointer<UInt32> {
    UnsafeMutableRawPointer(word).assumingMemoryBound(to: UInt32.self)
  }
}
