import CStrata
import StrataStorage
import StrataSystem

/// What the system knows about the running process.
package enum ThisProcess {
  /// Whether it has rights that the user who started it, and set its environment, does not have.
  static var isSetUID: Bool { strata_is_set_uid() != 0 }

  /// The effective user ID.
  static var userID: UInt32 { strata_effective_user() }

  static func environment(_ name: String) -> String? {
    // The text itself, of which a parameter would make an array.
    name.withCString { getenv($0) }.map { String(ofText: $0) }
  }

  /// Whether it may run the program in this file.
  package static func mayRun(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }

  /// The file name of the program at this path, which the kernel gave.
  ///
  /// Only where it gives none it is that of the first argument, which is chosen by whoever runs the
  /// program.
  static func name(ofExecutable path: String) -> String {
    path.isEmpty ? Path.name(of: arguments.first ?? "") : withoutMark(Path.name(of: path))
  }

  /// Whether one of the arguments may begin with a hyphen. To make texts of them takes longer.
  static var mayHaveOptions: Bool { strata_may_have_options() != 0 }

  /// The arguments, the program's name first.
  static var arguments: [String] {
    let known = CommandLine.arguments
    if !known.isEmpty { return known }
    // Swift finds them in /proc, which is not mounted.
    // A program may have taken some of them for its own.
    return (0..<strata_argument_count()).compactMap {
      strata_argument($0).map { String(cString: $0) }
    }
  }

  /// The path of the executable according to the kernel; empty if /proc is not mounted.
  static var executable: String { SystemFileSystem.linkTarget(of: "/proc/self/exe") ?? "" }

  /// Whether there is a file from which Foundation could read the bundle identifier of the program
  /// at this path.
  ///
  /// To find that there is none, Foundation lists the program's directory twice. That is a sixth of
  /// a process's first read, and takes milliseconds in a directory of many programs.
  package static func mayHaveBundle(_ executable: String) -> Bool {
    // Without /proc, Foundation ends a process that asks for its main bundle.
    if executable.isEmpty { return false }
    let directory = Path.directory(of: executable)
    // A bundle for several systems has a directory for each; its Info.plist is further up.
    // Bytes are compared by code that a program's first read has already used.
    if Path.name(of: directory).utf8.elementsEqual("Linux".utf8) { return true }
    // Without an array of constants, whose type the runtime would have to make.
    func mayBeThere(_ name: StaticString) -> Bool {
      !SystemFileSystem.isMissing(name, in: directory)
    }
    return mayBeThere("Info.plist") || mayBeThere("Contents/Info.plist")
      || mayBeThere("Resources/Info.plist") || mayBeThere("Support Files/Info.plist")
      || mayBeThere("WrappedBundle")
        && (mayBeThere("WrappedBundle/Info.plist")
          || mayBeThere("WrappedBundle/Contents/Info.plist"))
  }

  /// The name without the mark that the kernel appends when the running executable was replaced.
  private static func withoutMark(_ name: String) -> String {
    Path.stem(of: name, ending: " (deleted)") ?? name
  }
}
