package import StrataStorage

/// Lists the domains of a user.
extension DomainProcess {
  /// The names of the domains that hold values for a user on any host.
  package func domainNames(in places: Places) throws(StorageError) -> [String] {
    if isInMemory { return unsavedNames }
    guard let directory = places.userDirectory else { return [] }
    return StoredNames.sorted(
      try StoredNames.of(directory: directory).compactMap { Self.domainName(ofFile: $0, directory) }
    )
  }

  /// The names of the domains that hold values for the user on this host.
  package func domainNamesOfHost() throws(StorageError) -> [String] {
    guard let directory = places.hostDirectory else { return [] }
    let ending = "." + places.host.text
    let files = try StoredNames.of(directory: directory).filter { $0.hasSuffix(ending) }
    return StoredNames.sorted(
      files.compactMap {
        Self.domainName(ofFile: String($0.dropLast(ending.count)), directory, ending)
      })
  }

  /// The domain whose file in a directory has this name and ending; nil for a name that no domain
  /// can have.
  private static func domainName(
    ofFile name: String, _ directory: String, _ ending: String = ""
  ) -> String? {
    let global = DomainIdentifier.global
    if name == global.fileName { return global.name }
    if name == global.name { return nil }
    if !EncodedName.isCut(name) { return EncodedName.name(ofFile: name) }
    let paths = StorePaths(identifier: name + ending, in: directory)
    return EncodedName.keptName(of: paths, ending) ?? paths.plist
  }
}
