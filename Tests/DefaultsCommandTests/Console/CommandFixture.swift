import CommandTesting
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import StrataTesting
import Testing

@testable import DefaultsCommand

/// A home for one test, in which the command is run within this process.
final class CommandFixture {
  /// What a run of the command came to.
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var code = ExitCode.success
  }

  let directory: String
  /// Whether the test is about what nobody mends.
  var isLeftBroken = false
  var surroundings: ProcessSurroundings

  init() throws {
    let base = URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path
    directory = base + "/strata-command-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    surroundings = ProcessSurroundings(
      environment: [
        "HOME": directory, "STRATA_SYSTEM_DIRECTORY": directory + "/system",
        "XDG_DATA_DIRS": directory + "/share",
      ],
      userID: geteuid(),
      user: .known(UserRecord(id: geteuid(), group: getegid(), name: "someone", home: directory)),
      isSetUID: false, host: HostIdentifier(of: "a machine"), executableName: "defaults")
  }

  deinit {
    for finding in brokenDomains(below: directory) where !isLeftBroken {
      Issue.record("\(finding)")
    }
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("could not remove \(directory): \(error)")
    }
  }

  func console(input: [UInt8] = []) -> TestConsole {
    let console = TestConsole()
    console.input = input
    console.environment = [
      "HOME": directory, "PATH": directory + "/bin", "TMPDIR": directory,
      "EDITOR": "an-editor", "TERM": "xterm",
    ]
    return console
  }

  @discardableResult
  func run(_ arguments: String..., input: String = "") -> Outcome {
    run(arguments, console(input: Array(input.utf8)))
  }

  @discardableResult
  func run(_ arguments: [String], _ console: TestConsole) -> Outcome {
    let code = Program.run(arguments, console, surroundings)
    return Outcome(
      output: console.text(of: .output), errors: console.text(of: .error), code: code)
  }

  /// Runs what must succeed without a word on the standard error.
  @discardableResult
  func succeed(
    _ arguments: String..., input: String = "", at place: SourceLocation = #_sourceLocation
  ) -> String {
    let outcome = run(arguments, console(input: Array(input.utf8)))
    #expect(outcome.code == .success && outcome.errors.isEmpty, "\(outcome)", sourceLocation: place)
    return outcome.output
  }

  /// Where the user's domains are.
  var userDirectory: String { directory + "/.config/defaults" }

  /// The values of a domain as another process would read them.
  func values(_ name: String) -> [String: PropertyListValue] {
    Store.open(StorePaths(identifier: name, in: userDirectory)).snapshot().values
  }

  /// Writes a file and makes the directories that it needs.
  func write(_ bytes: [UInt8], to name: String, mode: Int = 0o644) throws {
    let url = URL(fileURLWithPath: directory).appendingPathComponent(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    try Data(bytes).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
  }

  func write(_ values: [String: PropertyListValue], toList name: String) throws {
    try write(try PropertyList.encode(.dictionary(values), as: .xml), to: name)
  }
}
