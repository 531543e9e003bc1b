package import StrataStorage

/// Lists the domains of a user.
extension DomainProcess {
  /// The names of the domains that hold values for a user on any host.
  package func domainNames(in places: Places) throws(StorageError) -> [String] {
    if isInMemory { return unsavedNames(in: places) }
    guard let directory = places.userDirectory else { return [] }
    return StoredNames.sorted(
      try StoredNames.of(directory: directory).compactMap { Self.domainName(ofFile: $0, directory) }
    )
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
      files.compactMap { Self.domainName(ofFile: $0, directory, ending) })
  }

  /// The domain whose file in a directory has this name and ending; nil for a name that no domain
  /// can have.
  private static func domainName(
    ofFile name: String, _ directory: String, _ ending: String = ""
  ) -> String? {
    let global = DomainIdentifier.global
    if name == global.fileName { return global.name }
    if name == global.name { return nil }
    if !EncodedName.isCut(name) {
      let whole = EncodedName.name(ofFile: name)
      return whole?.utf8.first == UInt8(ascii: "/") ? nil : whole  // that is a path
    }
    let paths = StorePaths(identifier: name + ending, in: directory)
    return EncodedName.keptName(of: paths) ?? paths.plist
  }
}
