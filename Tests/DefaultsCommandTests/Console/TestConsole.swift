import Foundation
import StrataDomains
import StrataTesting

@testable import DefaultsCommand

/// A console whose every word is remembered, and which answers as a test wants.
final class TestConsole: Console, @unchecked Sendable {
  // Safety: set before the command runs; what is written is guarded by the lock.
  var input: [UInt8] = []
  var typed: [String] = []
  var environment: [String: String] = [:]
  var terminals: Set<DefaultsCommand.Stream> = []
  /// What the editor, or another program, does; its exit code.
  var program: (_ path: String, _ arguments: [String]) -> Int32 = { _, _ in 0 }
  /// What happens while the command waits for its end.
  var waiting: () -> Void = {}
  /// How many bytes each stream takes before it refuses.
  var room: [DefaultsCommand.Stream: (count: Int, refusal: Failure)] = [:]
  var ownPath: String?
  var users: [String: UserRecord] = [:]
  /// Who was to be able to read each file that was written.
  private(set) var accesses: [String: NewFileAccess] = [:]

  private let written = Guarded<[DefaultsCommand.Stream: [UInt8]]>([:])
  private(set) var became: [String] = []

  func bytes(of stream: DefaultsCommand.Stream) -> [UInt8] {
    written.withLock { $0[stream] ?? [] }
  }

  func text(of stream: DefaultsCommand.Stream) -> String {
    String(decoding: bytes(of: stream), as: UTF8.self)
  }

  func write(_ bytes: [UInt8], to stream: DefaultsCommand.Stream) throws(Failure) {
    if let room = room[stream], self.bytes(of: stream).count + bytes.count > room.count {
      throw room.refusal
    }
    written.withLock { $0[stream, default: []] += bytes }
  }

  func read(_ path: String) throws(Failure) -> [UInt8] {
    if path == "-" { return input }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Failure("cannot read \(path): No such file or directory")
    }
    return [UInt8](data)
  }

  func readLine() throws(Failure) -> String? { typed.isEmpty ? nil : typed.removeFirst() }

  func replace(
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

  func remove(_ path: String) throws(Failure) {
    guard isInHome(path) else { throw Failure("cannot remove \(path)") }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Failure("cannot remove \(path): \(error)")
    }
  }

  func names(in directory: String) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
    } catch {
      return []
    }
  }

  func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }
  func isTerminal(_ stream: DefaultsCommand.Stream) -> Bool { terminals.contains(stream) }
  func environment(_ name: String) -> String? { environment[name] }
  var now: Double { 1_600_000_000 }
  var hostName: String { "test-host" }
  func user(named name: String) -> UserRecord? { users[name] }

  func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32 {
    program(path, arguments)
  }

  func become(_ path: String, _ arguments: [String]) throws(Failure) { became = [path] + arguments }

  func omitFromLog(_ line: String) {}
  func holdSignals() {}
  func releaseSignals() {}
  func awaitEnd() { waiting() }
  func end() {}
}
