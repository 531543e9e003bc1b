package import StrataStorage

/// Lists the domains of a user.
extension DomainProcess {
  /// The names of the domains that hold values for a user on any host.
  package func domainNames(in places: Places) throws(StorageError) -> [String] {
    if isInMemory { return unsavedNames(in: places) }
    guard let directory = places.userDirectory else { return [] }
    let files = try StoredNames.of(directory: directory)
    return StoredNames.sorted(files.compactMap { StoredNames.domain(ofFile: $0, directory) })
  }

  /// The names of the domains that hold values for the user on this host. One whose name is not
  /// known is named by the path of its file, which no domain of a host can be.
  package func domainNamesOfHost() throws(StorageError) -> [String] {
    guard let directory = places.hostDirectory else { return [] }
    let ending = "." + places.host.text
    let files = try StoredNames.of(directory: directory).compactMap {
      Path.stem(of: $0, ending: ending)
    }
    return StoredNames.sorted(
      files.compactMap { StoredNames.domain(ofFile: $0, directory, ending) })
  }
}
