import DefaultsCommand
import Glibc
import StrataDomains
import StrataPropertyList
import StrataStorage

/// A home in which command lines run that nobody would type: `STRATA_FUZZ_HOME`.
///
/// An input is arguments, each a line, up to an empty line; what follows is what every file has.
final class CommandHome: Sendable {
  struct Outcome {
    let isSuccess: Bool
    let isTold: Bool
  }

  static let only = CommandHome()
  static let seedName = "t"

  private let directory: String
  private let surroundings: ProcessSurroundings

  private init() {
    guard let home = getenv("STRATA_FUZZ_HOME").map({ String(cString: $0) }), chdir(home) == 0
    else { preconditionFailure("set STRATA_FUZZ_HOME to an empty directory") }
    directory = home
    surroundings = ProcessSurroundings(
      environment: ["HOME": home, "STRATA_SYSTEM_DIRECTORY": home + "/system"], userID: geteuid(),
      user: .known(UserRecord(id: geteuid(), group: getegid(), name: "someone", home: home)),
      isSetUID: false, host: HostIdentifier(of: "a machine"), executableName: "defaults")
  }

  private var userDirectory: String { directory + "/.config/defaults" }

  /// The values of the domain that the seeds name.
  var seed: [String: PropertyListValue] {
    Store.open(StorePaths(identifier: Self.seedName, in: userDirectory)).snapshot().values
  }

  var domains: [String] {
    do throws(StorageError) {
      return try StoredNames.of(directory: userDirectory)
    } catch {
      return []
    }
  }

  /// Runs a command line; nothing where it might lead out of the home.
  func run(_ bytes: [UInt8]) -> Outcome? {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), maxSplits: 64, omittingEmptySubsequences: false)
    let words = lines.prefix { !$0.isEmpty }
    let arguments = words.map { argument(String(decoding: $0, as: UTF8.self)) }
    guard !arguments.contains(where: { $0.contains("..") || $0.contains("~") }) else { return nil }
    let content = lines.drop { !$0.isEmpty }.dropFirst().joined(separator: [UInt8(ascii: "\n")])
    // Its file names domains, which could be files elsewhere, even with an escaped slash.
    let isApplied = arguments.contains { $0.lowercased() == "apply" }
    if isApplied, content.contains(where: { "/\\&".utf8.contains($0) }) { return nil }
    let console = FuzzConsole(content: Array(content), home: directory)
    let code = Program.run(arguments, console, surroundings)
    // These two, in any case, say by their code alone what they found.
    let finders = ["diff", "check"]
    let isTold =
      console.hasErrors || arguments.contains { finders.contains($0.lowercased()) }
    return Outcome(isSuccess: code == .success || code == .changed, isTold: isTold)
  }

  /// The same with each path below the home.
  private func argument(_ text: String) -> String {
    if text.hasPrefix("/") { return directory + text }
    let parts = text.split(separator: "=/", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? parts[0] + "=" + directory + "/" + parts[1] : text
  }
}
