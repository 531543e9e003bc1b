import Foundation

/// A directory of its own for one test, removed with everything in it.
final class TemporaryTree {
  let path: String

  init() throws {
    // Through `/tmp`'s real name: a link on the way to it is not what the tests are about.
    let base = URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path
    path = base + "/strata-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    chmod(path, 0o755)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("could not remove \(path): \(error)")
    }
  }

  /// Writes a file and makes the directories that it needs, none of them writable by others.
  func write(_ text: String, to name: String, mode: mode_t = 0o644) throws {
    var directory = path
    for part in name.split(separator: "/").dropLast() {
      directory += "/" + part
      mkdir(directory, 0o755)
      chmod(directory, 0o755)
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    chmod(path + "/" + name, mode)
  }
}
