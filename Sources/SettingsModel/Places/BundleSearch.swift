package import SettingsBundles
package import StrataDomains
package import StrataStorage

/// Finds the Settings bundle of a domain: where programs install them, the user's own first.
package struct BundleSearch: Sendable {
  private let directories: [String]
  private let programDirectories: [String]

  /// - Parameter surroundings: what the environment says, unless the process may not trust it.
  package init(_ surroundings: ProcessSurroundings) {
    directories = surroundings.dataDirectories.map { Path.join($0, "defaults") }
    programDirectories = surroundings.programDirectories
  }

  /// Where the bundle of this domain may be, in the order in which they are looked for.
  package func places(of identifier: DomainIdentifier) -> [String] {
    guard identifier.path == nil, let name = identifier.fileName else { return [] }
    return directories.map { Path.join($0, name + ".bundle") } + besideProgram(named: name)
  }

  /// Where this user's own bundle of the domain is looked for first; nil without a home.
  package static func ownPlace(
    of identifier: DomainIdentifier, _ surroundings: ProcessSurroundings
  ) -> String? {
    if surroundings.ownDataDirectory == nil { return nil }
    return BundleSearch(surroundings).places(of: identifier).first
  }

  /// A program that is not installed, such as one that was just built, may have its bundle beside
  /// it.
  private func besideProgram(named name: String) -> [String] {
    let found = programDirectories.first { ThisProcess.mayRun(Path.join($0, name)) }
    return found.map { [Path.join($0, "Settings.bundle")] } ?? []
  }

  /// A domain's bundle with its problems; nil if it has none.
  package struct Found: Sendable {
    package let path: String
    package let bundle: SettingsBundle
    package let problems: [Problem]
  }

  /// The first bundle that can be shown.
  /// - Parameter report: is told of bundles that can't, which are left out.
  package func find(
    _ identifier: DomainIdentifier, _ report: (_ path: String, Problem) -> Void
  ) -> Found? {
    for path in places(of: identifier) where BundleReader.isBundle(path) {
      do throws(Problem) {
        let (bundle, problems) = try BundleReader.read(path)
        return Found(path: path, bundle: bundle, problems: problems)
      } catch {
        report(path, error)
      }
    }
    return nil
  }

  /// All bundles that can be found, by the name of their file, each name once.
  package func all() throws(StorageError) -> [(name: String, path: String)] {
    var found: [FileName: String] = [:]
    for directory in directories {
      guard DirectoryWatch.isThere(directory) else { continue }
      for file in try SystemFileSystem().names(in: directory) {
        guard let name = Path.stem(of: file, ending: ".bundle").map(FileName.init) else { continue }
        let path = Path.join(directory, file)
        if found[name] == nil, BundleReader.isBundle(path) { found[name] = path }
      }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
  }
}
