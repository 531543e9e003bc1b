/// What the command needs of the world besides domains; tests have one of their own.
package protocol Console: AnyObject, Sendable {
  /// Writes all bytes, or throws.
  func write(_ bytes: [UInt8], to stream: Stream) throws(Failure)
  /// All that a file has, or the standard input for `-`.
  func read(_ path: String) throws(Failure) -> [UInt8]
  /// What a person types; nothing at the end.
  func readLine() throws(Failure) -> String?
  /// Gives a file this content, as a whole; a device or a pipe is written to.
  func replace(_ path: String, by bytes: [UInt8]) throws(Failure)
  func remove(_ path: String) throws(Failure)
  func names(in directory: String) -> [String]
  func isProgram(_ path: String) -> Bool

  func isTerminal(_ stream: Stream) -> Bool
  func environment(_ name: String) -> String?
  /// Seconds since 1970.
  var now: Double { get }
  var hostName: String { get }
  /// Where the command itself is; nothing when that can't be said.
  var ownPath: String? { get }

  /// Runs a program and waits for its end.
  /// - Returns: its exit code.
  func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32
  /// Puts a program in this one's place.
  func become(_ path: String, _ arguments: [String]) throws(Failure)

  /// Has signals that would end the process wait from the one until the other.
  func holdSignals()
  func releaseSignals()
  /// Waits until such a signal comes, or until nobody reads the output any more.
  func awaitEnd()
  /// Ends that wait.
  func end()
}

package enum Stream: Int32, Sendable {
  case input = 0
  case output = 1
  case error = 2
}

extension Console {
  package func write(_ text: String, to stream: Stream = .output) throws(Failure) {
    try write(Array(text.utf8), to: stream)
  }

  package func names(in directory: String, ending: String) -> [String] {
    names(in: directory).filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
  }
}
