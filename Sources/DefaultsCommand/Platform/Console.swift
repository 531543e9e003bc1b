package import StrataDomains
import StrataStorage

/// The command's interface to the system, except for domains; tests implement it, too.
package protocol Console: AnyObject, Sendable {
  /// Writes all bytes, or throws.
  func write(_ bytes: [UInt8], to stream: Stream) throws(Failure)
  /// The whole contents of a file, or of standard input for `-`.
  func read(_ path: String) throws(Failure) -> [UInt8]
  /// A line that the user types; nil at the end of input.
  func readLine() throws(Failure) -> String?
  /// Replaces a file as a whole; writes to a device or a pipe.
  /// - Parameter access: who may read a new file; one that is there keeps its mode.
  func replace(_ path: String, by bytes: [UInt8], _ access: NewFileAccess) throws(Failure)
  func remove(_ path: String) throws(Failure)
  /// The names in a directory; nil if there is none. Throws if it can't be listed.
  func names(in directory: String) throws(Failure) -> [String]?
  func isProgram(_ path: String) -> Bool

  func isTerminal(_ stream: Stream) -> Bool
  func environment(_ name: String) -> String?
  /// Seconds since 1970.
  var now: Double { get }
  var hostName: String { get }
  /// The user with this name; nil if there is none.
  func user(named name: String) -> UserRecord?
  /// The path of this executable; nil if it is unknown.
  var ownPath: String? { get }

  /// Runs a program and waits until it exits.
  /// - Returns: its exit code.
  func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32
  /// Replaces this process with a program.
  func become(_ path: String, _ arguments: [String]) throws(Failure)

  /// Omits a line from the log, since the command reports it itself.
  func omitFromLog(_ line: String)

  /// Blocks the signals that would end the process, and unblocks them.
  func holdSignals()
  func releaseSignals()
  /// Waits for such a signal, or until nobody reads the output any more.
  @discardableResult func awaitEnd() -> EndRequest
  /// Ends `awaitEnd`.
  func end()
}

/// Who may read a file that the command makes.
package enum NewFileAccess: Sendable {
  case ownerOnly
  /// Whoever the process's file mode creation mask allows to, as for any file of a program.
  case byMask
}

/// Why a program that runs until it is ended should stop.
package enum EndRequest: Sendable {
  /// It was interrupted or terminated.
  case end
  /// A terminal is gone, or an administrator wants a service to read its configuration again.
  case hangUp
  /// Nobody reads the output any more.
  case closedOutput
}

package enum Stream: Int32, Sendable {
  case input = 0
  case output = 1
  case error = 2
}

extension Console {
  /// Asks a question with the answers yes and no.
  /// - Returns: nil if nobody is there to answer.
  func asks(_ question: String, byDefault: Bool) throws(Failure) -> Bool? {
    guard isTerminal(.input), isTerminal(.error) else { return nil }
    try write(question, to: .error)
    guard let answer = try readLine() else { return false }
    return answer.isEmpty ? byDefault : answer.lowercased().hasPrefix("y")
  }

  package func write(_ text: String, to stream: Stream = .output) throws(Failure) {
    try write(Array(text.utf8), to: stream)
  }

  func names(in directory: String, ending: String) throws(Failure) -> [String] {
    (try names(in: directory) ?? []).compactMap { Path.stem(of: $0, ending: ending) }
  }
}
