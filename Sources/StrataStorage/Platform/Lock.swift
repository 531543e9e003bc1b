import CStrata

/// A lock between the threads of this process.
///
/// It is the C library's, since the thread sanitizer knows that, and since it can be taken before a
/// `fork` and released on both sides afterwards.
package final class Lock: Sendable {
  // Safety: owned by this object until it ends; the C library guards what it points at.
  nonisolated(unsafe) private let record: UnsafeMutablePointer<strata_lock>

  /// What a lock guards. A thread that holds one takes only locks that come later in this list.
  package enum Rank: Int32, Sendable {
    /// What a server shows of settings, which it looks up meanwhile.
    case shown
    /// The watches that observers of one stack need.
    case watching
    /// Changes that this process makes while somebody observes.
    case changes
    /// What observers of one stack were told.
    case observers
    /// What the stacks of a process share.
    case domains
    case stack
    case search
    /// What the stores of a process share.
    case process
    case store
    /// A domain in memory, and other state that asks for parts at most.
    case memory
    /// Parts that stores ask for under their own lock.
    case parts
    case thread
    case feed
    /// What is known of the paths to directories, which every look at a path needs.
    case ways
    case log
  }

  package init(_ rank: Rank) { record = strata_lock_make(rank.rawValue) }

  deinit { strata_lock_end(record) }

  package func lock() { strata_lock_take(record) }
  /// Takes the lock unless another thread has it; never waits, so no order is needed.
  package func tryLock() -> Bool { strata_lock_try(record) }
  package func unlock() { strata_lock_give(record) }

  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
