import Foundation
import Testing

@testable import DefaultsCommand

/// The built program, which lies beside the tests, in a fixture's home.
final class CommandProcess {
  struct Result: Equatable {
    var output = ""
    var errors = ""
    /// Nil when a signal ended it.
    var code: Int32?
  }

  static let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("defaults").path

  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var unread = Data()

  /// - Parameter shell: a command line, in which `"$0"` is the program, instead of arguments.
  init(
    in fixture: CommandFixture, _ arguments: [String] = [], shell: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    process.executableURL = URL(fileURLWithPath: shell == nil ? Self.program : "/bin/bash")
    process.arguments = shell.map { ["-c", $0, Self.program] + arguments } ?? arguments
    process.environment = [
      "HOME": fixture.directory, "STRATA_SYSTEM_DIRECTORY": fixture.directory + "/system",
      "PATH": "/usr/bin:/bin", "TMPDIR": fixture.directory, "SWIFT_BACKTRACE": "enable=no",
      "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
    ].merging(environment) { $1 }
    process.currentDirectoryURL = URL(fileURLWithPath: fixture.directory)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Waits for the end.
  func result() throws -> Result {
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Result(
      output: String(decoding: text, as: UTF8.self),
      errors: String(decoding: complaints, as: UTF8.self),
      code: process.terminationReason == .exit ? process.terminationStatus : nil)
  }

  static func run(_ fixture: CommandFixture, _ arguments: String...) throws -> Result {
    try CommandProcess(in: fixture, arguments).result()
  }

  /// The next line; nil when none comes in time.
  func line(within seconds: Double = 600) -> String? {
    let file = output.fileHandleForReading
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      if let cut = unread.firstIndex(of: 10) {
        defer { unread = Data(unread[(cut + 1)...]) }
        return String(decoding: unread[..<cut], as: UTF8.self)
      }
      var ready = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let rest = end.timeIntervalSinceNow
      guard rest > 0, poll(&ready, 1, Int32(rest * 1000) + 1) > 0 else { return nil }
      let part = file.availableData
      if part.isEmpty { return nil }
      unread.append(part)
    }
  }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }
  func closeOutput() throws { try output.fileHandleForReading.close() }
}
