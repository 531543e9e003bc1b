package import StrataDomains
package import StrataStorage

/// What an agent finds in the administrator's places of what it has written there before.
package struct FoundFiles: Sendable {
  package struct Draft: Equatable, Sendable {
    /// Those of the file that it was to become.
    package let paths: StorePaths
    package let path: String
  }

  /// Those that have a provenance.
  package private(set) var marked: [StorePaths] = []
  /// Those without content or provenance, as a power cut brings names of removed files back.
  package private(set) var empty: [StorePaths] = []
  /// What an agent that died has left; nobody but the agent keeps files here in that way.
  package private(set) var drafts: [Draft] = []
  /// Places that could not be searched.
  package private(set) var problems: [(place: String, error: StorageError)] = []
  private let disk: Disk

  package init(in places: Places, on disk: Disk) {
    self.disk = disk
    let users = names(in: places.managedUsersDirectory)
    search(places.managedDirectory)
    search(places.recommendedDirectory)
    for user in users { search(Path.join(places.managedUsersDirectory, user)) }
  }

  private mutating func search(_ directory: String) {
    for name in names(in: directory) {
      let path = Path.join(directory, name)
      if let paths = Self.paths(ofProvenance: name, in: directory) {
        marked.append(paths)
      } else if let paths = Self.paths(ofPlist: name, in: directory) {
        if isEmpty(path) { empty.append(paths) }
      } else if let file = WholeFile.fileName(ofDraft: name) {
        let paths =
          Self.paths(ofProvenance: file, in: directory) ?? Self.paths(ofPlist: file, in: directory)
        if let paths { drafts.append(Draft(paths: paths, path: path)) }
      }
    }
  }

  private mutating func isEmpty(_ path: String) -> Bool {
    do throws(StorageError) {
      guard let status = try disk.status(of: path) else { return false }
      return status.isRegular && status.size == 0
    } catch {
      problems.append((path, error))
      return false
    }
  }

  private static func paths(ofProvenance name: String, in directory: String) -> StorePaths? {
    paths(name, ending: ".provenance", directory)
  }

  private static func paths(ofPlist name: String, in directory: String) -> StorePaths? {
    paths(name, ending: ".plist", directory)
  }

  private static func paths(
    _ name: String, ending: String, _ directory: String
  ) -> StorePaths? {
    guard let identifier = Path.stem(of: name, ending: ending) else { return nil }
    // Of all domains, only the global one has hidden files.
    guard name.utf8.first != UInt8(ascii: ".") || identifier == DomainIdentifier.global.fileName
    else { return nil }
    return StorePaths(identifier: identifier, in: directory, for: .everyone)
  }

  private mutating func names(in directory: String) -> [String] {
    do throws(StorageError) {
      guard let status = try disk.status(of: directory), !status.isRegular else { return [] }
      return try disk.names(in: directory).sorted()
    } catch {
      problems.append((directory, error))
      return []
    }
  }
}
