import StrataStorage

/// Runs a verb that another package provides: `defaults X` runs `defaults-X`.
struct OtherProgram {
  private let path: String
  private let console: any Console

  /// Looks beside this program first, then in PATH; nil if there is no such program.
  init?(_ verb: String, _ console: any Console) {
    // A slash would lead to another directory, and a leading hyphen marks an option.
    guard let first = verb.utf8.first, first != UInt8(ascii: "-"),
      !verb.utf8.contains(UInt8(ascii: "/"))
    else { return nil }
    let beside = console.ownPath.map { [Path.directory(of: $0)] } ?? []
    let found = (beside + SearchPath(console: console).directories).lazy
      .map { Path.join($0, "defaults-" + verb) }.first(where: console.isProgram)
    guard let found else { return nil }
    path = found
    self.console = console
  }

  func run(_ arguments: [String]) throws(Failure) -> ExitCode {
    try console.become(path, arguments)
    return .success
  }
}
