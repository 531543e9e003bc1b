package import StrataPropertyList
package import StrataStorage

/// All domains of a user, on any host and on each, as one file.
///
/// The file is a binary property list with a checksum, as a domain's is. It has the keys `Format`
/// (always `strata-archive`), `Version` (1) and `Domains`: for the name of each domain's file,
/// without `.plist` and from the user's directory on, that file's bytes.
package struct Archive: Hashable, Sendable {
  /// The values of each domain by its file: `com.example.app`, `ByHost/com.example.app.HOST`.
  package var domains: [String: [String: PropertyListValue]] = [:]

  private static let format = "strata-archive"
  private static let version: Int64 = 1

  package init() {}

  /// The domains as they are: each at one moment of its own.
  package init(of places: Places, progress: (String, Int, Int) -> Void = { _, _, _ in }) {
    let files = Self.files(in: places)
    for (index, file) in files.enumerated() {
      progress(file.name, index, files.count)
      let values = Store.open(file.paths).snapshot().values
      if !values.isEmpty { domains[file.name] = values }
    }
  }

  /// The user's domains that have files, sorted by name.
  package static func files(in places: Places) -> [(name: String, paths: StorePaths)] {
    guard let user = places.userDirectory, let host = places.hostDirectory else { return [] }
    let names = [(user, ""), (host, hostPrefix)].flatMap { directory, prefix in
      StoredNames.of(directory: directory).map { prefix + $0 }.filter(isName).sorted()
    }
    return names.compactMap { name in paths(of: name, in: places).map { (name, $0) } }
  }

  /// Where the domain of that name is; nothing for a name that leads anywhere else.
  static func paths(of name: String, in places: Places) -> StorePaths? {
    guard isName(name), let user = places.userDirectory, let host = places.hostDirectory else {
      return nil
    }
    guard name.hasPrefix(hostPrefix) else { return StorePaths(identifier: name, in: user) }
    return StorePaths(identifier: String(name.dropFirst(hostPrefix.count)), in: host)
  }

  private static let hostPrefix = "ByHost/"

  private static func isName(_ name: String) -> Bool {
    let file = name.hasPrefix(hostPrefix) ? String(name.dropFirst(hostPrefix.count)) : name
    let global = DomainIdentifier.global.fileName ?? ""
    if file == global || file.hasPrefix(global + ".") { return !file.utf8.contains(0x2F) }
    // A host adds 13 bytes to a name.
    return DomainIdentifier.fault(inName: String(file.prefix(DomainIdentifier.nameSizeMax))) == nil
      && file.utf8.count <= DomainIdentifier.nameSizeMax + 13
      && !file.utf8.contains(0) && !file.utf8.contains(0x2F)
  }

  // -- As bytes

  package var bytes: [UInt8] {
    let files = domains.mapValues { values in
      PropertyListValue.data(CheckedPlist.encode(values.map { (key: $0.key, value: $0.value) }))
    }
    return CheckedPlist.encode([
      ("Format", .string(Self.format)), ("Version", .integer(Self.version)),
      ("Domains", .dictionary(files)),
    ])
  }

  /// The archive that bytes are; every checksum in it must be right.
  package init(_ bytes: [UInt8]) throws(ArchiveError) {
    guard case .intact(let index) = CheckedPlist.inspect(bytes) else {
      throw ArchiveError(
        "it is no backup, or is damaged; use a file that `defaults backup` wrote, unchanged")
    }
    guard index.value(forKey: "Format") == .string(Self.format),
      case .dictionary(let files) = index.value(forKey: "Domains")
    else { throw ArchiveError("it is a property list, but no backup") }
    guard index.value(forKey: "Version") == .integer(Self.version) else {
      throw ArchiveError("a newer version of `defaults` wrote it; use that version")
    }
    for (name, file) in files {
      guard Self.isName(name), case .data(let bytes) = file,
        case .intact(let values) = CheckedPlist.inspect(bytes)
      else { throw ArchiveError("what it has for the domain \(name) is damaged") }
      domains[name] = Dictionary(values.entries(), uniquingKeysWith: { $1 })
    }
  }
}
