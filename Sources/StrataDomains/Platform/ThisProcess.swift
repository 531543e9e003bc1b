import CStrata
import Glibc
import StrataStorage

/// What the system says of the running process.
enum ThisProcess {
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
    let link = "/proc/self/exe"
    do {
      let path = try SystemFileSystem().resolve(link)
      if path != link { return withoutMark(Path.name(of: path)) }
    } catch {
      // There is no /proc here: what follows is the only other source.
    }
    return Path.name(of: CommandLine.arguments.first ?? "")
  }

  /// The name without what the kernel adds when the program was replaced while it runs.
  private static func withoutMark(_ name: String) -> String {
    let mark = " (deleted)"
    return name.hasSuffix(mark) ? String(name.dropLast(mark.count)) : name
  }
}
