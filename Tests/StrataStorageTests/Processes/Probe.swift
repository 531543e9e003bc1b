import Glibc

@testable import StrataStorage

/// Another process that uses a store: `StorageProbe`, which lies beside the tests.
final class Probe {
  /// How a process ended.
  enum Ending: Hashable {
    case exited(Int32)
    case signalled(Int32)
  }

  enum Failure: Error {
    case noProcess(Int32)
    case silent(String)
    case ended(String)
  }

  let pid: pid_t
  private var input: Int32
  private let output: Int32
  private var buffer: [UInt8] = []
  private(set) var ending: Ending?

  private static let starting = Lock(.log)

  static let program: String = {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let own = String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "StorageProbe"
  }()

  /// Starts a program; by default the probe.
  init(_ arguments: [String], program: String = Probe.program, errors: String = "/dev/null") throws
  {
    // A process that is started meanwhile must not get these pipes' ends: nobody would ever see
    // the end of what is written into them.
    Self.starting.lock()
    defer { Self.starting.unlock() }
    let (childInput, input) = try Self.makePipe()
    let (output, childOutput) = try Self.makePipe()
    self.input = input
    self.output = output
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, childInput, 0)
    posix_spawn_file_actions_adddup2(&actions, childOutput, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var words = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var pid = pid_t()
    let code = posix_spawnp(&pid, program, &actions, nil, words, environ)
    close(childInput)
    close(childOutput)
    self.pid = pid
    guard code == 0 else { throw Failure.noProcess(code) }
  }

  /// A probe that does as it is told, line by line.
  static func serving(_ plist: String) throws -> Probe {
    let probe = try Probe(["serve", plist])
    _ = try probe.line()
    return probe
  }

  deinit {
    if ending == nil, pid > 0 {
      kill(SIGKILL)
      do { _ = try wait() } catch {}
    }
    closeInput()
    close(output)
  }

  // -- Talking

  func send(_ line: String) throws {
    let bytes = Array((line + "\n").utf8)
    let count = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw Failure.ended("at \(line)") }
  }

  /// The next line that the process says.
  func line(within seconds: Double = 600) throws -> String {
    let end = monotonicSeconds() + seconds
    while true {
      if let cut = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...cut) }
        return String(decoding: buffer[..<cut], as: UTF8.self)
      }
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let rest = end - monotonicSeconds()
      guard rest > 0, poll(&ready, 1, Int32(rest * 1000) + 1) > 0 else {
        throw Failure.silent("for \(seconds) s")
      }
      var part = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(output, &part, part.count)
      guard count > 0 else {
        throw Failure.ended("\(try wait()), having said \(buffer.count) bytes")
      }
      buffer.append(contentsOf: part[..<count])
    }
  }

  @discardableResult
  func ask(_ line: String, within seconds: Double = 600) throws -> String {
    try send(line)
    return try self.line(within: seconds)
  }

  /// Lets the process know that nothing more will be said; the probe then exits as a program does.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  // -- Ending

  func kill(_ signal: Int32) { _ = Glibc.kill(pid, signal) }

  /// Waits for the end, killing the process when it does not come.
  @discardableResult
  func wait(within seconds: Double = 600) throws -> Ending {
    if let ending { return ending }
    var status: Int32 = 0
    guard holds(within: seconds, { waitpid(pid, &status, WNOHANG) == pid }) else {
      kill(SIGKILL)
      waitpid(pid, &status, 0)
      throw Failure.silent("it did not end in \(seconds) s")
    }
    let signal = status & 0x7F
    let found = signal == 0 ? Ending.exited((status >> 8) & 0xFF) : .signalled(signal)
    ending = found
    return found
  }

  /// Says no more and waits for a normal end.
  func finish(within seconds: Double = 600) throws -> Ending {
    closeInput()
    return try wait(within: seconds)
  }

  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure.noProcess(errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
