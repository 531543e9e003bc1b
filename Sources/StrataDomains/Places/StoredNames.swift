import StrataStorage

/// Which domains have files, by the names of these.
package enum StoredNames {
  /// The names, without `.plist`, of the domains in a directory.
  ///
  /// What was set a moment ago may be in a journal only.
  package static func of(directory: String) -> Set<String> {
    var files = Set(names(in: directory, ending: ".plist"))
    for file in names(in: Path.join(directory, ".strata"), ending: ".plist.journal")
    where !files.contains(file) {
      let paths = StorePaths(identifier: file, in: directory)
      if !Store.open(paths).snapshot().values.isEmpty { files.insert(file) }
    }
    return files
  }

  private static func names(in directory: String, ending: String) -> [String] {
    do throws(StorageError) {
      return try SystemFileSystem().names(in: directory).filter { $0.hasSuffix(ending) }
        .map { String($0.dropLast(ending.count)) }
    } catch {
      return []  // nothing was stored there yet
    }
  }
}
