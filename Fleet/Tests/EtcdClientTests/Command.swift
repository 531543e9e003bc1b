import Foundation

/// A program that a test runs, and what it said.
enum Command {
  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// - Throws: with what the program printed, if it fails or is missing.
  @discardableResult
  static func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "\(program) \(arguments.joined(separator: " ")): \(text)")
    }
    return text
  }
}
