package import StrataStorage

/// Which domains have files, by the names of these.
package enum StoredNames {
  /// The names, without `.plist`, of the domains in a directory, in order; fails for one that can't
  /// be looked into.
  ///
  /// What was set a moment ago may be in a journal only. Names that look alike are two when their
  /// bytes are.
  package static func of(directory: String) throws(StorageError) -> [String] {
    var files = try names(in: directory, ending: ".plist")
    let known = Set(files.map { StorePaths(identifier: $0, in: directory) })
    let hidden = StorePaths.hiddenDirectory(of: directory)
    for file in try names(in: hidden, ending: ".plist.journal") {
      let paths = StorePaths(identifier: file, in: directory)
      if known.contains(paths) { continue }
      if !Store.open(paths).snapshot().values.isEmpty { files.append(file) }
    }
    return sorted(files)
  }

  /// The names in order; those that look alike, by their bytes.
  package static func sorted(_ names: [String]) -> [String] {
    names.map { FileName($0) }.sorted().map(\.text)
  }

  private static func names(
    in directory: String, ending: String
  ) throws(StorageError) -> [String] {
    do throws(StorageError) {
      return try SystemFileSystem().names(in: directory).filter { $0.hasSuffix(ending) }
        .map { String($0.dropLast(ending.count)) }
    } catch {
      if error.isOfMissing { return [] }  // nothing was stored there yet
      throw error
    }
  }
}
