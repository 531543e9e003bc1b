package import StrataStorage

/// What a domain's files begin with, and whether they count.
extension Places {
  /// What is decided about a domain's files, whoever is the first to use them.
  package func rules(
    of identifier: DomainIdentifier, at paths: StorePaths, in place: Place
  ) -> StoreRules {
    var rules = StoreRules(isRare: isSame(paths.directory, hostDirectory))
    if place.needsTrust {
      rules.distrust = { () throws(StorageError) in try Trust(in: self).refusal(of: paths) }
      return rules
    }
    if identifier.isCut, paths.audience == .user {
      rules.beforeStoring = { EncodedName.keep(identifier.name, of: paths) }
    }
    rules.firstValues = firstValues(of: identifier, paths)
    return rules
  }

  private func firstValues(
    of identifier: DomainIdentifier, _ paths: StorePaths
  ) -> StoreRules.FirstValues? {
    if let former = formerPaths(of: identifier, paths) {
      // Read at once: while a store reads its first values no other one can be opened.
      do throws(StorageError) {
        let values = try Store.open(former).wholeSnapshot().values
        if !values.isEmpty { return { () throws(StorageError) in values } }
      } catch {
        return { () throws(StorageError) in throw error }
      }
    }
    guard isSame(paths.directory, userDirectory) else { return nil }
    return { () throws(StorageError) in
      guard let old = self.foundationPath(of: identifier, paths) else { return [:] }
      return try Store.values(ofPlist: old)
    }
  }

  /// Where the domain was stored when its name was encoded differently; nil if it never was.
  private func formerPaths(
    of identifier: DomainIdentifier, _ paths: StorePaths
  ) -> StorePaths? {
    guard let name = identifier.formerFileName else { return nil }
    if isSame(paths.directory, userDirectory) {
      return StorePaths(identifier: name, in: paths.directory)
    }
    if isSame(paths.directory, hostDirectory) {
      return StorePaths(identifier: "\(name).\(host.text)", in: paths.directory)
    }
    return nil
  }

  private func isSame(_ directory: String, _ known: String?) -> Bool {
    known.map { Path.isSame($0, directory) } ?? false
  }

  /// Where Foundation on Linux stores the same domain.
  private func foundationPath(
    of identifier: DomainIdentifier, _ paths: StorePaths
  ) -> String? {
    var file = Path.name(of: paths.plist)
    if let name = identifier.fileName, name != identifier.name, identifier != .global {
      // In another directory, for all that is known.
      if identifier.name.utf8.contains(UInt8(ascii: "/")) { return nil }
      file = identifier.name + ".plist"
    }
    return Path.join(Path.directory(of: paths.directory), file)
  }
}
