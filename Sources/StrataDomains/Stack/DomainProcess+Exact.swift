package import StrataStorage

/// One place of a domain, by itself.
extension DomainProcess {
  /// The domain of all users, which is of this host, too: also where nothing has been stored yet.
  ///
  /// Nil for a domain that is a file by its path: it has one place only.
  package func domainForAllUsers(_ identifier: DomainIdentifier) -> Store? {
    if isInMemory { return nil }
    return places.stores(of: identifier, in: .applicationEveryone).first.map { Store.open($0) }
  }

  /// The domain of this user on this host; nil for a file by its path, and without a home.
  package func domainOnThisHost(_ identifier: DomainIdentifier) -> Layer? {
    layers(of: identifier, in: .applicationHost, places).first
  }
}
