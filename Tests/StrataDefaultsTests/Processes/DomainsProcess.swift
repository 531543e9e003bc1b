import Foundation

/// A fresh process that lives in a fixture's home: `DomainsProbe`, which lies beside the tests.
///
/// It is given its lines and is not talked to, so that many can run at once.
final class DomainsProcess {
  struct Result {
    /// What it answered, one line for each that it was given.
    let answers: [String]
    /// What it wrote for people.
    let log: [String]
    /// Nil when a signal ended it.
    let status: Int32?
  }

  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("DomainsProbe").path

  private let process = Process()
  private let output = Pipe()
  // No pipe: nobody reads it while the process runs.
  private let errors: String

  /// - Parameter environment: what is not as the fixture has it; nil for a variable that is not
  ///   there.
  init(
    in fixture: DefaultsFixture, _ lines: [String], arguments: [String] = [],
    environment: [String: String?] = [:], program: String = DomainsProcess.program
  ) throws {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    var variables: [String: String?] = [
      "HOME": fixture.directory, "STRATA_SYSTEM_DIRECTORY": fixture.directory + "/system",
      "STRATA_APPLICATION_ID": DefaultsFixture.identifier, "PATH": "/usr/bin:/bin",
      "LANG": "en_US.UTF-8", "SWIFT_BACKTRACE": "enable=no",
      "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"],
    ]
    variables.merge(environment) { $1 }
    process.environment = variables.compactMapValues { $0 }
    let script = fixture.directory + "/lines-" + UUID().uuidString
    try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: script))
    errors = script + ".errors"
    try Data().write(to: URL(fileURLWithPath: errors))
    process.standardInput = FileHandle(forReadingAtPath: script)
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
  }

  /// Waits for the end.
  func result() throws -> Result {
    let answers = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let log = try Data(contentsOf: URL(fileURLWithPath: errors))
    return Result(
      answers: Self.lines(answers), log: Self.lines(log),
      status: process.terminationReason == .exit ? process.terminationStatus : nil)
  }

  /// What a process answers that ends well.
  static func answers(
    in fixture: DefaultsFixture, _ lines: String..., arguments: [String] = [],
    environment: [String: String?] = [:]
  ) throws -> [String] {
    try DomainsProcess(in: fixture, lines, arguments: arguments, environment: environment)
      .result().answers
  }

  /// What a process says for people when a line ends it with a trap; nil when none does.
  static func trap(
    in fixture: DefaultsFixture, _ lines: String..., environment: [String: String?] = [:]
  ) throws -> String? {
    let result = try DomainsProcess(in: fixture, lines, environment: environment).result()
    guard result.status == nil, result.answers.count == lines.count - 1 else { return nil }
    return result.log.first { $0.contains("Fatal error") }
  }

  private static func lines(_ data: Data) -> [String] {
    String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
