import CStrata
import Glibc

/// A lock between the threads of this process.
///
/// The C library's, because the thread sanitizer sees it, and because it can be taken before a
/// `fork` and given back on both sides after it.
package final class Lock: Sendable {
  // Safety: this object's until it ends; the C library guards what it points at.
  nonisolated(unsafe) private let record: UnsafeMutablePointer<strata_lock>

  /// What a lock guards. Whoever holds one takes only locks that come later in this list.
  package enum Rank: Int32, Sendable {
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
    /// What is known of the ways to directories, which every look at a path asks for.
    case ways
    case log
  }

  package init(_ rank: Rank) { record = strata_lock_make(rank.rawValue) }

  deinit { strata_lock_end(record) }

  package func lock() { strata_lock_take(record) }
  /// Takes it unless another thread has it: waits for nobody, whatever is held.
  package func tryLock() -> Bool { pthread_mutex_trylock(&record.pointee.mutex) == 0 }
  package func unlock() { pthread_mutex_unlock(&record.pointee.mutex) }

  package func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
