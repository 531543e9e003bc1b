import Foundation

/// Another process, mostly of this program, doing one of `ChildTask`.
final class Child {
  private let process = Process()
  private let output = Pipe()
  private var unread = Data()

  /// - Parameter words: a command and its arguments.
  init(_ words: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    try process.run()
  }

  /// - Parameter wrapper: a command that runs it, as `strace`, with its arguments.
  convenience init(
    _ task: ChildTask, _ contestant: Contestant, _ directory: String, _ arguments: [String] = [],
    in wrapper: [String] = []
  ) throws {
    guard let program = Bundle.main.executablePath else { throw BenchError("who am I?") }
    let words =
      wrapper + [program, "child", task.rawValue, contestant.id, directory] + arguments
    try self.init(words)
  }

  /// Its next line.
  func line() throws -> String {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { throw BenchError("a child ended early: \(process.arguments ?? [])") }
      unread += more
    }
  }

  /// The numbers on its next line.
  func numbers() throws -> [Double] { try line().split(separator: " ").compactMap { Double($0) } }

  func wait() throws {
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError("a child failed: \(process.arguments ?? [])")
    }
  }

  func kill() {
    process.terminate()
    process.waitUntilExit()
  }
}
