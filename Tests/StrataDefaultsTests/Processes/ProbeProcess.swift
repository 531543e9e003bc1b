import Foundation

/// Another process that uses the same settings as a fixture: `DefaultsProbe`, which lies beside the
/// tests.
final class ProbeProcess {
  enum Failure: Error {
    case silent(String)
    case ended(String)
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private var buffer = Data()

  static let program: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("DefaultsProbe")

  /// Starts the probe in a fixture's home; `tracer` is a program that is told to start it.
  init(
    in fixture: DefaultsFixture, _ arguments: [String] = [], tracer: [String] = []
  ) throws {
    let words = tracer + [Self.program.path] + arguments
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_CONFIG_HOME"] = nil
    environment["HOME"] = fixture.directory
    environment["STRATA_SYSTEM_DIRECTORY"] = fixture.directory + "/system"
    environment["STRATA_APPLICATION_ID"] = DefaultsFixture.identifier
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  deinit {
    if process.isRunning { kill() }
  }

  /// A probe that does as it is told, line by line.
  static func serving(_ fixture: DefaultsFixture, tracer: [String] = []) throws -> ProbeProcess {
    let probe = try ProbeProcess(in: fixture, tracer: tracer)
    _ = try probe.line()
    return probe
  }

  var pid: Int32 { process.processIdentifier }

  // -- Talking

  /// Says one line, and does not wait for an answer.
  func tell(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Says a command and its words, whatever characters are in them, and returns the answer.
  @discardableResult
  func ask(_ words: String..., within seconds: Double = 600) throws -> String {
    let line = words.map {
      $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0
    }
    try input.fileHandleForWriting.write(
      contentsOf: Data((line.joined(separator: " ") + "\n").utf8))
    return try self.line(within: seconds)
  }

  /// The next line that the process says.
  func line(within seconds: Double = 600) throws -> String {
    let file = output.fileHandleForReading
    let end = Date(timeIntervalSinceNow: seconds)
    while true {
      if let cut = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...cut) }
        return String(decoding: buffer[..<cut], as: UTF8.self)
      }
      var ready = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let rest = end.timeIntervalSinceNow
      guard rest > 0, poll(&ready, 1, Int32(rest * 1000) + 1) > 0 else {
        throw Failure.silent("for \(seconds) s")
      }
      let part = file.availableData
      if part.isEmpty { throw Failure.ended("having said \(buffer.count) bytes") }
      buffer.append(part)
    }
  }

  // -- Ending

  /// Ends the process at once, without letting it do anything more.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Says no more and waits for a normal end.
  /// - Returns: what it said on its standard error.
  @discardableResult
  func finish() throws -> String {
    try input.fileHandleForWriting.close()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      throw Failure.ended(
        "with \(process.terminationStatus): \(String(decoding: text, as: UTF8.self))")
    }
    return String(decoding: text, as: UTF8.self)
  }
}
