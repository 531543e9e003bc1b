import Glibc
import StrataTesting
import Testing

/// A directory of its own for one test, removed with everything in it.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/strata-test-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp/strata-test"
  }

  deinit {
    for finding in brokenDomains(below: path) { Issue.record("\(finding)") }
    Self.remove(path)
  }

  static func remove(_ path: String) {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { remove(path + "/" + name) }
      }
      closedir(stream)
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}
