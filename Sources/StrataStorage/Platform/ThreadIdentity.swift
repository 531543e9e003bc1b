import CStrata

/// Which thread of the process is running.
package struct ThreadIdentity: Equatable, Sendable {
  package let number: UInt
  private let forks = ProcessEvents.forks

  private init(number: UInt) { self.number = number }

  package static var current: ThreadIdentity { ThreadIdentity(number: strata_thread_number()) }

  /// Whether it is a thread of a parent process, which a `fork` did not copy.
  package var isOfParent: Bool { forks != ProcessEvents.forks }
}
