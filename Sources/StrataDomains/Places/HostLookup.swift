/// The machine's identifier, read on demand: most programs have no values for one host.
package enum HostLookup: Equatable, Sendable {
  case known(HostIdentifier)
  /// The machine on which the process runs.
  case ofMachine

  package var identifier: HostIdentifier {
    switch self {
    case .known(let identifier): identifier
    case .ofMachine: Self.thisMachine
    }
  }

  private static let thisMachine = HostIdentifier.read()
}
