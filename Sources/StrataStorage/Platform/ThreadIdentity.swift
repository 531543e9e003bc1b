import CStrata

/// Which thread of the process is running.
package struct ThreadIdentity: Equatable, Sendable {
  package let number: UInt

  package static var current: ThreadIdentity { ThreadIdentity(number: strata_thread_number()) }
}
