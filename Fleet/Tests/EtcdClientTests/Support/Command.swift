import Glibc
import ProgramTesting

/// A program that a test runs, and what it said.
enum Command {
  /// - Throws: with what the program printed, if it fails or is missing.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = try ChildProcess(program, arguments, mergesErrors: true)
    let text = process.output()
    close(process.connection)
    guard process.wait() else {
      throw ChildProcess.Failed(
        description: "\(program) \(arguments.joined(separator: " ")): \(text)")
    }
    return text
  }
}
