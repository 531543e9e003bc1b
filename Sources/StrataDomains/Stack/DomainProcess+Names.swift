import StrataStorage

/// Which domains a user has.
extension DomainProcess {
  /// The names of the domains that hold values of a user on any host.
  package func domainNames(in places: Places) -> [String] {
    if isInMemory { return homelessNames }
    guard let directory = places.userDirectory else { return [] }
    var files = Set(Self.files(in: directory, ending: ".plist"))
    // What was set a moment ago may be in a journal only.
    for file in Self.files(in: Path.join(directory, ".strata"), ending: ".plist.journal")
    where !files.contains(file) {
      let paths = StorePaths(identifier: file, in: directory)
      if !Store.open(paths).snapshot().values.isEmpty { files.insert(file) }
    }
    return files.compactMap(Self.domainName).sorted()
  }

  /// Nothing for a file whose name no domain can have.
  private static func domainName(ofFile name: String) -> String? {
    let global = DomainIdentifier.global
    if name == global.fileName { return global.name }
    return name == global.name || DomainIdentifier.fault(inName: name) != nil ? nil : name
  }

  private static func files(in directory: String, ending: String) -> [String] {
    do throws(StorageError) {
      return try SystemFileSystem().names(in: directory).filter { $0.hasSuffix(ending) }
        .map { String($0.dropLast(ending.count)) }
    } catch {
      return []  // nothing was stored there yet
    }
  }
}
