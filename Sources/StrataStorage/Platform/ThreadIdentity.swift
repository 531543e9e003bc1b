import Glibc

/// Which thread of the process is running.
package struct ThreadIdentity: Hashable, Sendable {
  package let number: UInt

  package static var current: ThreadIdentity { ThreadIdentity(number: UInt(pthread_self())) }
}
