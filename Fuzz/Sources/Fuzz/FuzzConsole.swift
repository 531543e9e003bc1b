import DefaultsCommand
import StrataDomains
import Synchronization

/// A console where every file has the same content, none is written, and no program is found.
final class FuzzConsole: Console {
  private let content: [UInt8]
  private let home: String
  private let errors = Mutex(0)

  init(content: [UInt8], home: String) {
    self.content = content
    self.home = home
  }

  var hasErrors: Bool { errors.withLock { $0 > 0 } }

  func write(_ bytes: [UInt8], to stream: DefaultsCommand.Stream) throws(Failure) {
    if stream == .error { errors.withLock { $0 += bytes.count } }
  }

  func read(_ path: String) throws(Failure) -> [UInt8] { content }
  func readLine() throws(Failure) -> String? { nil }
  func replace(_ path: String, by bytes: [UInt8], _ access: NewFileAccess) throws(Failure) {}
  func remove(_ path: String) throws(Failure) {}
  func names(in directory: String) throws(Failure) -> [String]? { nil }
  func isProgram(_ path: String) -> Bool { false }

  func isTerminal(_ stream: DefaultsCommand.Stream) -> Bool { false }
  func environment(_ name: String) -> String? { name == "HOME" ? home : nil }
  var now: Double { 1_600_000_000 }
  var hostName: String { "a-host" }
  // Nobody: root must not write into the home of a user whose name an input happens to be.
  func user(named name: String) -> UserRecord? { nil }
  var ownPath: String? { nil }

  func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32 { 0 }
  func become(_ path: String, _ arguments: [String]) throws(Failure) {}

  func omitFromLog(_ line: String) {}
  func holdSignals() {}
  func releaseSignals() {}
  func awaitEnd() -> EndRequest { .end }
  func end() {}
}
