import CStrata
import Glibc

/// A lock between the threads of this process.
///
/// The C library's, because the thread sanitizer sees it, and because it can be taken before a
/// `fork` and given back on both sides after it.
final class Lock: @unchecked Sendable {
  // Safety: the pointer is a constant; the C library guards what it points at.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }

  /// Takes the lock before a fork; parent and child each have it given back for them after it.
  func holdForFork() { strata_fork_hold(mutex) }

  func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
