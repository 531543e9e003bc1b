package import StrataStorage

/// Lists the domains that have files, by file name.
package enum StoredNames {
  /// The sorted names, without `.plist`, of the domains in a directory; fails if it can't be read.
  ///
  /// A domain that was set a moment ago may only have a journal. Names are compared by bytes, so
  /// two names that look alike can both be in the list.
  package static func of(directory: String) throws(StorageError) -> [String] {
    var files = try names(in: directory, ending: ".plist")
    let known = Set(files.map { StorePaths(identifier: $0, in: directory) })
    let hidden = StorePaths.hiddenDirectory(of: directory)
    for file in try names(in: hidden, ending: ".plist.journal") {
      let paths = StorePaths(identifier: file, in: directory)
      if known.contains(paths) { continue }
      if !isKnownToBeEmpty(Store.open(paths)) { files.append(file) }
    }
    return sorted(files)
  }

  private static func isKnownToBeEmpty(_ store: Store) -> Bool {
    do throws(StorageError) {
      return try store.wholeSnapshot().values.isEmpty
    } catch {
      return false
    }
  }

  /// The names in order; names that look alike are ordered by their bytes.
  package static func sorted(_ names: [String]) -> [String] {
    FileName.ascending(names.map { FileName($0) }).map(\.text)
  }

  /// The domain whose file in a directory has this name and ending; nil for a name that no domain
  /// can have.
  static func domain(
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

  private static func names(
    in directory: String, ending: String
  ) throws(StorageError) -> [String] {
    do throws(StorageError) {
      return try SystemFileSystem().names(in: directory).compactMap {
        Path.stem(of: $0, ending: ending)
      }
    } catch {
      if error.isOfMissing { return [] }  // nothing has been stored there yet
      throw error
    }
  }
}
