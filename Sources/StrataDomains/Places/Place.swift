/// The places that are searched for a key, in search order: the first that has it gives the value.
package enum Place: Int, CaseIterable, Sendable {
  /// Values that an administrator forces on this user.
  case managedUser = 1
  /// Values that an administrator forces on all users.
  case managed
  case arguments
  /// The application's domain, for this user on this host.
  case applicationHost
  /// The application's domain, for this user on any host: where values are set.
  case application
  /// The added suites: each for this host, then for any host.
  case suites
  case globalHost
  case global
  /// The application's domain, for all users.
  case applicationEveryone
  case suitesEveryone
  case globalEveryone
  /// Values that an administrator recommends to all users.
  case recommended
  case languages
  case registration

  /// Whether values from this place are forced.
  package var isManaged: Bool { self == .managedUser || self == .managed }

  /// Whether a file in this place counts only if nobody but an administrator can have written it.
  package var needsTrust: Bool { isManaged || self == .recommended }

  /// Whether the values in this place end with the process.
  package var isVolatile: Bool {
    [.arguments, .languages, .registration].contains(self)
  }
}

extension Place: Comparable {
  package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
}
