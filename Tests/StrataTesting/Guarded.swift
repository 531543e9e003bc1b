import Glibc

/// A value that threads of a test share.
///
/// In place of `Mutex`: the thread sanitizer does not see how one thread waits there for another,
/// and takes what both do in turn for a race. It knows the C library's mutex.
package final class Guarded<Value>: @unchecked Sendable {
  // Safety: guarded by `mutex`.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
