/// The places that are searched for a key; the first in this order that has it gives the value.
package enum Place: Int, CaseIterable, Sendable {
  /// What an administrator forces on this user.
  case managedUser = 1
  /// What an administrator forces on all users.
  case managed
  case arguments
  /// The application's, of this user on this host.
  case applicationHost
  /// The application's, of this user on any host: where values are set.
  case application
  /// Added suites, each of this host, then of any host.
  case suites
  case globalHost
  case global
  /// The application's, of all users.
  case applicationEveryone
  case suitesEveryone
  case globalEveryone
  /// What an administrator suggests to all users.
  case recommended
  case languages
  case registration

  /// Whether a value from here is forced.
  package var isManaged: Bool { self == .managedUser || self == .managed }

  /// Whether a file here counts only if nobody but an administrator can have written it.
  package var needsTrust: Bool { isManaged || self == .recommended }

  /// Whether what is here lives as long as the process.
  package var isVolatile: Bool {
    [.arguments, .languages, .registration].contains(self)
  }
}

extension Place: Comparable {
  package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
}
