import CStrata
import Glibc
import StrataStorage

/// What the system says of the running process.
package enum ThisProcess {
  /// Whether it has rights that whoever started it, and made its environment, has not.
  static var isSetUID: Bool { strata_is_set_uid() != 0 }

  /// The user whose rights it has.
  static var userID: UInt32 { geteuid() }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The file name of the program.
  ///
  /// The kernel's word goes before the first argument, which whoever starts a program chooses.
  static var executableName: String {
    if let executable { return withoutMark(Path.name(of: executable)) }
    return Path.name(of: CommandLine.arguments.first ?? "")
  }

  /// The path of the program as the kernel knows it; nil where there is no /proc.
  private static let executable = SystemFileSystem.linkTarget(of: "/proc/self/exe")

  /// Whether a file lies where Foundation would read the program's bundle identifier from.
  ///
  /// Foundation lists the program's directory twice to find out that there is none: a sixth of a
  /// process's first read, and milliseconds where many programs lie.
  package static var mayHaveBundle: Bool {
    // Where there is no /proc, Foundation ends the process that asks it for the bundle.
    guard let executable else { return false }
    let directory = Path.directory(of: executable)
    // In a bundle for several systems, each has a directory; the bundle begins further up.
    if Path.name(of: directory) == "Linux" { return true }
    do {
      for part in bundleParts {
        let path = Path.join(directory, part + "Info.plist")
        if try SystemFileSystem().status(of: path) != nil { return true }
      }
      return false
    } catch {
      return true
    }
  }

  private static let bundleParts = [
    "", "Contents/", "Resources/", "Support Files/", "WrappedBundle/", "WrappedBundle/Contents/",
  ]

  /// The name without what the kernel adds when the program was replaced while it runs.
  private static func withoutMark(_ name: String) -> String {
    let mark = " (deleted)"
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }
}
