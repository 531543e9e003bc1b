package import StrataPropertyList
package import StrataStorage

/// All domains of a user, for any host and for single hosts, as one file.
///
/// The file is a binary property list with a checksum, as a domain's is. It has the keys `Format`
/// (always `strata-archive`), `Version` (1) and `Domains`, which maps the name of each domain's
/// file, relative to the user's directory and without `.plist`, to that file's bytes. Two names
/// that look alike would be one key in a property list; an archive with such names has version 2,
/// and its `Domains` is an array of dictionaries with `Name` and `File`. If names of domains are
/// too long for a file, `Names` maps the names of their files to the whole ones. While it is
/// restored, it also has `Restoration`, a number.
package struct Archive: Equatable, Sendable {
  /// The values of each domain by file name: `com.example.app`, `ByHost/com.example.app.HOST`.
  package var domains: [FileName: [String: PropertyListValue]] = [:]
  /// The whole names of domains, by those of the files that hold only the beginnings.
  var names: [FileName: String] = [:]
  /// The number of a restoration, in the archive that it keeps.
  var number: UInt64?

  private static let format = "strata-archive"

  package init() {}

  /// The current domains, each as of one moment. Fails if one can't be read.
  package init(
    of places: Places, progress: (String, Int, Int) -> Void = { _, _, _ in }
  ) throws(ArchiveError) {
    guard places.userDirectory != nil else {
      throw ArchiveError("there is no home directory to save; set HOME")
    }
    let files = try Self.files(in: places)
    var obstacles: [String] = []
    for (index, file) in files.enumerated() {
      progress(file.name, index, files.count)
      do throws(ArchiveError) {
        let values = try Self.values(of: Store.open(file.paths), named: file.name)
        if values.isEmpty { continue }
        domains[FileName(file.name)] = values
        names[FileName(file.name)] = EncodedName.keptName(of: file.paths)
      } catch {
        obstacles.append(error.reason)
      }
    }
    // Skipping a domain is not an option: restoring the archive would empty it.
    if !obstacles.isEmpty { throw ArchiveError(obstacles.joined(separator: "\n")) }
  }

  private static func values(
    of store: Store, named name: String
  ) throws(ArchiveError) -> [String: PropertyListValue] {
    let values: [String: PropertyListValue]
    do throws(StorageError) {
      values = try store.wholeSnapshot().values
    } catch {
      throw ArchiveError("the domain \(name) could not be read: \(error)")
    }
    if let issue = store.issues.last(where: { $0.kind == .malformed }) {
      throw ArchiveError("the domain \(name) could not be read: \(issue.path): \(issue.text)")
    }
    if let damage = store.damage {
      throw ArchiveError(
        "the domain \(name) has lost values, which an older archive may have: \(damage.path): "
          + "\(damage.text); whatever is written to it next makes what is left the whole of it")
    }
    return values
  }

  /// The user's domains that have files, sorted by name.
  package static func files(
    in places: Places
  ) throws(ArchiveError) -> [(name: String, paths: StorePaths)] {
    guard let user = places.userDirectory, let host = places.hostDirectory else { return [] }
    let names: [String]
    do throws(StorageError) {
      names =
        try StoredNames.of(directory: user).filter(isName)
        + StoredNames.of(directory: host).map { hostPrefix + $0 }.filter(isName)
    } catch {
      throw ArchiveError(error.description)
    }
    return names.compactMap { name in paths(of: name, in: places).map { (name, $0) } }
  }

  /// The domain that a file of this name has, and the host that it is for; nil for any host. Where
  /// the domain's own name is not known, its file stands for it.
  package func title(
    of file: FileName, in places: Places
  ) -> (domain: String, host: HostIdentifier?) {
    let name = Self.fileOfHost(file.text) ?? file.text
    let digits = Self.fileOfHost(file.text).map { String($0.suffix(12)) }
    let host = digits.flatMap(HostIdentifier.init(digits:))
    let directory = host == nil ? places.userDirectory : places.hostDirectory
    let ending = host.map { "." + $0.text } ?? ""
    guard let directory, let stem = Path.stem(of: name, ending: ending) else {
      return (file.text, nil)
    }
    let domain = names[file] ?? StoredNames.domain(ofFile: stem, directory, ending)
    return (domain ?? file.text, host)
  }

  /// The paths of the domain with this name; nil for a name that leads anywhere else.
  static func paths(of name: String, in places: Places) -> StorePaths? {
    guard isName(name), let user = places.userDirectory, let host = places.hostDirectory else {
      return nil
    }
    guard let file = fileOfHost(name) else { return StorePaths(identifier: name, in: user) }
    return StorePaths(identifier: file, in: host)
  }

  /// Compares bytes: `hasPrefix` would miss a slash that a combining mark follows.
  private static func fileOfHost(_ name: String) -> String? {
    guard name.utf8.starts(with: hostPrefix.utf8) else { return nil }
    return String(decoding: name.utf8.dropFirst(hostPrefix.utf8.count), as: UTF8.self)
  }

  private static let hostPrefix = "ByHost/"

  private static func isName(_ name: String) -> Bool {
    let file = fileOfHost(name) ?? name
    let global = DomainIdentifier.global.fileName ?? ""
    if file == global || file.utf8.starts(with: (global + ".").utf8) {
      return !file.utf8.contains(0x2F)
    }
    // The host adds 13 bytes to a name: a dot and 12 digits.
    return !file.utf8.isEmpty && file.utf8.first != UInt8(ascii: ".")
      && file.utf8.count <= EncodedName.sizeMax + 13
      && !file.utf8.contains(0) && !file.utf8.contains(0x2F)
  }

  // -- As bytes

  package var bytes: [UInt8] {
    let files = FileName.ascending(Array(domains.keys)).map { name in
      let values = domains[name] ?? [:]
      let bytes = CheckedPlist.encode(values.map { (key: $0.key, value: $0.value) })
      return (name.text, PropertyListValue.data(bytes))
    }
    let byName = Dictionary(files, uniquingKeysWith: { $1 })
    let isOfOne = byName.count == files.count
    let list = files.map { PropertyListValue.dictionary(["Name": .string($0), "File": $1]) }
    let restoration = number.map {
      ("Restoration", PropertyListValue.integer(Int64(bitPattern: $0)))
    }
    let whole = names.map { ($0.text, PropertyListValue.string($1)) }
    let wholeNames = PropertyListValue.dictionary(Dictionary(whole, uniquingKeysWith: { $1 }))
    return CheckedPlist.encode(
      [
        ("Format", .string(Self.format)), ("Version", .integer(isOfOne ? 1 : 2)),
        ("Domains", isOfOne ? .dictionary(byName) : .array(list)),
      ] + (names.isEmpty ? [] : [("Names", wholeNames)]) + (restoration.map { [$0] } ?? []))
  }

  /// The same bytes; fails if they exceed what can be read again.
  package func checkedBytes() throws(ArchiveError) -> [UInt8] {
    let bytes = bytes
    if let reason = Limits.refusal(fileSize: bytes.count) {
      throw ArchiveError("all domains together are too large for one archive: \(reason)")
    }
    return bytes
  }

  /// Reads an archive; every checksum in it must be right.
  package init(_ bytes: [UInt8]) throws(ArchiveError) {
    guard case .intact(let index) = CheckedPlist.inspect(bytes) else {
      throw ArchiveError(
        "not a backup, or damaged; use an unmodified file written by `defaults backup`")
    }
    let domains = index.value(forKey: "Domains")
    guard index.value(forKey: "Format") == .string(Self.format), let domains else {
      throw ArchiveError("a property list, but not a backup")
    }
    let version = index.value(forKey: "Version")
    guard version == .integer(1) || version == .integer(2) else {
      throw ArchiveError("written by a newer version of `defaults`; use that version")
    }
    if case .integer(let number)? = index.value(forKey: "Restoration") {
      self.number = UInt64(bitPattern: number)
    }
    for (name, file) in try Self.files(domains) {
      guard Self.isName(name), case .data(let bytes) = file,
        case .intact(let values) = CheckedPlist.inspect(bytes)
      else { throw ArchiveError("the values of the domain \(name) are damaged") }
      self.domains[FileName(name)] = Dictionary(values.entries(), uniquingKeysWith: { $1 })
    }
    guard case .dictionary(let names)? = index.value(forKey: "Names") else { return }
    for case (let file, .string(let name)) in names
    where EncodedName.isOf(name, file: Self.fileOfHost(file) ?? file) {
      self.names[FileName(file)] = name
    }
  }

  /// The files by name, from either version of the format.
  private static func files(
    _ domains: PropertyListValue
  ) throws(ArchiveError) -> [(name: String, file: PropertyListValue)] {
    switch domains {
    case .dictionary(let files): return files.map { ($0.key, $0.value) }
    case .array(let list):
      return try list.map { (item) throws(ArchiveError) in
        guard case .dictionary(let entry) = item, case .string(let name)? = entry["Name"],
          let file = entry["File"]
        else { throw ArchiveError("the values of one domain are damaged") }
        return (name, file)
      }
    default: throw ArchiveError("a property list, but not a backup")
    }
  }
}
