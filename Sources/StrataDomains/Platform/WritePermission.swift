import Glibc
package import StrataStorage

/// Whether this process may write to a domain, found out without writing.
package enum WritePermission {
  /// What stands in the way, with the system's reason; nil when nothing does.
  package static func obstacle(to paths: StorePaths) -> String? {
    let paths = paths.placed  // where other machines may share the directory, on this one
    for directory in [paths.directory, paths.hidden] {
      if let reason = refusal(nearest(directory), W_OK | X_OK) { return reason }
    }
    for file in [paths.journal, Path.join(paths.hidden, "holders")] {
      if let reason = refusal(file, R_OK | W_OK) { return reason }
    }
    return nil
  }

  /// The directory, or the nearest above it that is there, in which it would be made.
  private static func nearest(_ directory: String) -> String {
    var directory = directory
    while directory != "/", faccessat(AT_FDCWD, directory, F_OK, AT_EACCESS) != 0, errno == ENOENT {
      directory = Path.directory(of: directory)
    }
    return directory
  }

  /// Why something that is there can't be used.
  private static func refusal(_ path: String, _ rights: Int32) -> String? {
    guard faccessat(AT_FDCWD, path, rights, AT_EACCESS) != 0, errno != ENOENT else { return nil }
    return "\(path): \(String(cString: strerror(errno)))"
  }
}
