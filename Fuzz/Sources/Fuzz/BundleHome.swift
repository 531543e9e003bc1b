import Glibc
import SettingsBundles
import StrataPropertyList

/// A Settings bundle that nobody would make, in `STRATA_FUZZ_HOME`.
///
/// An input is its root pane, a child pane and a strings table, each up to a zero byte.
enum BundleHome {
  private static let directory: String = {
    guard let home = getenv("STRATA_FUZZ_HOME").map({ String(cString: $0) }) else {
      preconditionFailure("set STRATA_FUZZ_HOME to an empty directory")
    }
    return home + "/Fuzz.bundle"
  }()

  static let files = ["Root.plist", "Child.plist", "de.lproj/Root.strings"]

  /// What is read of a bundle with these bytes; nil if nothing can be shown.
  static func bundle(_ bytes: [UInt8]) -> (bundle: SettingsBundle, problems: [Problem])? {
    let parts = bytes.split(
      separator: 0, maxSplits: files.count - 1, omittingEmptySubsequences: false)
    return bundle(of: zip(files, parts.map { Array($0) }).map { (path: $0, bytes: $1) })
  }

  static func bundle(
    of files: [(path: String, bytes: [UInt8])]
  ) -> (bundle: SettingsBundle, problems: [Problem])? {
    mkdir(directory, 0o700)
    mkdir(directory + "/de.lproj", 0o700)
    for path in Self.files { unlink(directory + "/" + path) }
    for (path, bytes) in files { write(bytes, to: directory + "/" + path) }
    do throws(Problem) {
      return try BundleReader.read(directory)
    } catch {
      precondition(!error.text.isEmpty)
      return nil
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600)
    precondition(file >= 0, "\(path) can't be written")
    defer { close(file) }
    precondition(Glibc.write(file, bytes, bytes.count) == bytes.count, "\(path) can't be written")
  }
}
