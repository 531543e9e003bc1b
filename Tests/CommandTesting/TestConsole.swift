package import DefaultsCommand
import Foundation
package import StrataDomains
import StrataTesting

/// A console whose every word is remembered, and which answers as a test wants.
package final class TestConsole: Console, @unchecked Sendable {
  // Safety: set before the command runs; what is written is guarded by the lock.
  package var input: [UInt8] = []
  package var typed: [String] = []
  package var environment: [String: String] = [:]
  package var terminals: Set<DefaultsCommand.Stream> = []
  /// What the editor, or another program, does; its exit code.
  package var program: (_ path: String, _ arguments: [String]) -> Int32 = { _, _ in 0 }
  /// What happens while the command waits for its end.
  package var waiting: () -> Void = {}
  /// Why it stops waiting, one for each time; then it is asked to end.
  package var ends: [EndRequest] = []
  /// How many bytes each stream takes before it refuses.
  package var room: [DefaultsCommand.Stream: (count: Int, refusal: Failure)] = [:]
  package var ownPath: String?
  package var users: [String: UserRecord] = [:]
  /// The paths that can't be read.
  package var unreadable: Set<String> = []
  /// Who was to be able to read each file that was written.
  package private(set) var accesses: [String: NewFileAccess] = [:]

  package init() {}

  private let written = Guarded<[DefaultsCommand.Stream: [UInt8]]>([:])
  package private(set) var became: [String] = []

  package func bytes(of stream: DefaultsCommand.Stream) -> [UInt8] {
    written.withLock { $0[stream] ?? [] }
  }

  package func text(of stream: DefaultsCommand.Stream) -> String {
    String(decoding: bytes(of: stream), as: UTF8.self)
  }

  package func write(_ bytes: [UInt8], to stream: DefaultsCommand.Stream) throws(Failure) {
    if let room = room[stream], self.bytes(of: stream).count + bytes.count > room.count {
      throw room.refusal
    }
    written.withLock { $0[stream, default: []] += bytes }
  }

  package func read(_ path: String) throws(Failure) -> [UInt8] {
    if path == "-" { return input }
    if unreadable.contains(path) { throw Self.refusal("read", path) }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("cannot read \(path): No such file or directory")
    }
    return [UInt8](data)
  }

  package func readLine() throws(Failure) -> String? { typed.isEmpty ? nil : typed.removeFirst() }

  package func replace(
    _ path: String, by bytes: [UInt8], _ access: NewFileAccess
  ) throws(Failure) {
    accesses[path] = access
    // Elsewhere than in a test's home nothing is written, whatever the arguments are.
    guard isInHome(path),
      FileManager.default.createFile(atPath: path, contents: Data(bytes))
    else {
      throw Failure("cannot write \(path)")
    }
  }

  private func isInHome(_ path: String) -> Bool {
    path.hasPrefix((environment["HOME"] ?? "nowhere") + "/") && !path.contains("..")
  }

  package func remove(_ path: String) throws(Failure) {
    guard isInHome(path) else { throw Failure("cannot remove \(path)") }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Failure("cannot remove \(path): \(error)")
    }
  }

  package func names(in directory: String) throws(Failure) -> [String]? {
    if unreadable.contains(directory) { throw Self.refusal("list", directory) }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      return nil
    }
  }

  private static func refusal(_ operation: String, _ path: String) -> Failure {
    Failure("cannot \(operation) \(path): Input/output error")
  }

  package func isProgram(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
  }
  package func isTerminal(_ stream: DefaultsCommand.Stream) -> Bool { terminals.contains(stream) }
  package func environment(_ name: String) -> String? { environment[name] }
  package var now: Double { 1_600_000_000 }
  package var hostName: String { "test-host" }
  package func user(named name: String) -> UserRecord? { users[name] }

  package func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32 {
    program(path, arguments)
  }

  package func become(_ path: String, _ arguments: [String]) throws(Failure) {
    became = [path] + arguments
  }

  package func omitFromLog(_ line: String) {}
  package func holdSignals() {}
  package func releaseSignals() {}
  package func awaitEnd() -> EndRequest {
    waiting()
    return ends.isEmpty ? .end : ends.removeFirst()
  }
  package func end() {}
}
