package import StrataStorage
import StrataSystem

/// Tells whether this process may write to a domain, without writing.
package enum WritePermission {
  /// What prevents writing, with the system's reason; nil if nothing does.
  package static func obstacle(to paths: StorePaths) -> String? {
    let paths = paths.placed  // on a network file system, the journal is elsewhere
    for directory in [paths.directory, paths.hidden] {
      if let reason = refusal(nearest(directory), W_OK | X_OK) { return reason }
    }
    for file in [paths.journal, Path.join(paths.hidden, "holders")] {
      if let reason = refusal(file, R_OK | W_OK) { return reason }
    }
    return nil
  }

  /// The directory itself or, if it does not exist, its nearest existing ancestor.
  private static func nearest(_ directory: String) -> String {
    var directory = directory
    while directory != "/", faccessat(AT_FDCWD, directory, F_OK, AT_EACCESS) != 0, errno == ENOENT {
      directory = Path.directory(of: directory)
    }
    return directory
  }

  /// Why an existing file or directory can't be accessed; nil if it can be, or does not exist.
  private static func refusal(_ path: String, _ rights: Int32) -> String? {
    guard faccessat(AT_FDCWD, path, rights, AT_EACCESS) != 0, errno != ENOENT else { return nil }
    return "\(path): \(String(cString: strerror(errno)))"
  }
}
