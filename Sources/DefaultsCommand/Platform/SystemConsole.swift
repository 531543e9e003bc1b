import CStrata
package import StrataDomains
import StrataStorage
import StrataSystem

/// The console of a real process.
package final class SystemConsole: Console {
  private static let chunk = 1 << 16

  /// Nil for a command that runs until it is ended.
  private let heldLog: HeldLog?

  /// - Parameter isBrief: whether the command ends as soon as it has done its work.
  package init(isBrief: Bool) {
    StorageProcess.isBrief = isBrief
    heldLog = isBrief ? HeldLog() : nil
    // A write then fails with EPIPE or EFBIG, so that unfinished work can be cleaned up.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// The arguments without the program's name; fails if one is not valid UTF-8.
  package static func arguments() throws(Failure) -> [String] {
    var arguments: [String] = []
    // Without /proc only the C library knows them, and with another one than glibc only Swift.
    for index in 1..<max(1, strata_argument_count(), CommandLine.argc) {
      guard let bytes = strata_argument(index) ?? CommandLine.unsafeArgv[Int(index)],
        let text = String(validatingCString: bytes)
      else {
        throw Failure(
          "argument \(index) is not valid UTF-8; for bytes, use -data with hexadecimal digits")
      }
      arguments.append(text)
    }
    return arguments
  }

  package func write(_ bytes: [UInt8], to stream: Stream) throws(Failure) {
    let name = stream == .error ? "standard error" : "standard output"
    try Self.write(bytes, to: stream.rawValue, name)
  }

  private static func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1 << 20))
      let count = StrataSystem.write(file, part, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw .closedPipe }
        throw Failure("cannot write \(name): \(text(errno))")
      }
      rest = rest.dropFirst(count)
    }
  }

  package func read(_ path: String) throws(Failure) -> [UInt8] {
    let name = path == "-" ? "standard input" : path
    let file = path == "-" ? 0 : try Self.open(path, O_RDONLY, "read")
    defer { if file != 0 { close(file) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    while true {
      let count = StrataSystem.read(file, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure("cannot read \(name): \(Self.text(errno))")
      }
      bytes += buffer.prefix(count)
      guard bytes.count <= Limits.fileSizeMax else {
        let limit = Limits.fileSizeMax >> 20
        throw Failure("\(name) is larger than the limit of \(limit) MiB")
      }
    }
  }

  package func readLine() throws(Failure) -> String? { Swift.readLine() }

  package func replace(
    _ path: String, by bytes: [UInt8], _ access: NewFileAccess
  ) throws(Failure) {
    do throws(StorageError) {
      let file = WholeFile(path)
      if try file.status()?.isRegular != false {
        // A draft would stay behind. A pipe may wait for its reader, and must end at a signal.
        holdSignals()
        defer { releaseSignals() }
        return try file.replace(by: bytes, mode: Self.mode(of: access))
      }
    } catch {
      throw Failure("cannot write \(path): \(Self.causes(of: error))")
    }
    try writeThrough(path, bytes)
  }

  private static func mode(of access: NewFileAccess) -> UInt32 {
    guard access == .byMask else { return 0o600 }
    // The mask can only be read by replacing it; other threads meanwhile get a stricter one.
    let mask = umask(0o077)
    umask(mask)
    return 0o666 & ~mask
  }

  private func writeThrough(_ path: String, _ bytes: [UInt8]) throws(Failure) {
    let file = try Self.open(path, O_WRONLY, "write")
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
      throw Failure("cannot write \(path): it was replaced in the meantime")
    }
    try Self.write(bytes, to: file, path)
  }

  /// Opens a path that the user gave, which may be a pipe or a device; does not follow other users'
  /// links.
  private static func open(
    _ path: String, _ access: Int32, _ operation: String
  ) throws(Failure) -> Int32 {
    let file: Int32
    do throws(StorageError) {
      file = try SystemFileSystem().openNamed(path, access)
    } catch {
      throw Failure("cannot \(operation) \(path): \(error.reason ?? text(error.code))")
    }
    return file
  }

  package func remove(_ path: String) throws(Failure) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw Failure("cannot remove \(path): \(Self.text(errno))")
    }
  }

  package func names(in directory: String) throws(Failure) -> [String]? {
    do throws(StorageError) {
      return try SystemFileSystem().names(in: directory)
    } catch {
      if error.isOfMissing { return nil }
      throw Failure("cannot list \(directory): \(Self.causes(of: error))")
    }
  }

  package func isProgram(_ path: String) -> Bool { ThisProcess.mayRun(path) }

  package func isTerminal(_ stream: Stream) -> Bool { isatty(stream.rawValue) != 0 }

  package func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  package var now: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  package var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func user(named name: String) -> UserRecord? { UserRecord.named(name) }

  package var ownPath: String? {
    let link = "/proc/self/exe"
    do {
      let path = try SystemFileSystem().resolve(link)
      return path == link ? nil : path
    } catch {
      return nil
    }
  }

  package func run(_ path: String, _ arguments: [String]) throws(Failure) -> Int32 {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    let code = strata_run(path, words)
    guard code >= 0 else { throw Failure("cannot run \(path): \(Self.text(errno))") }
    return code
  }

  package func become(_ path: String, _ arguments: [String]) throws(Failure) {
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    strata_become(path, words)
    throw Failure("cannot run \(path): \(Self.text(errno))")
  }

  package func omitFromLog(_ line: String) { heldLog?.omit(line) }

  package func holdSignals() { strata_hold_signals() }
  package func releaseSignals() { strata_release_signals() }
  /// Has `awaitEnd` notice signals in a program that consists of tasks.
  package static func catchSignals() { strata_catch_signals() }
  package func awaitEnd() -> EndRequest {
    switch strata_await_end(Stream.output.rawValue) {
    case 0: .closedOutput
    case SIGHUP: .hangUp
    default: .end
    }
  }
  package func end() { kill(getpid(), SIGTERM) }

  /// Ends the process; after a failure without exit handlers, which would try the same again.
  package func exit(_ code: ExitCode) -> Never {
    heldLog?.end()
    if code != .failure, code != .usage { StrataSystem.exit(code.rawValue) }
    Log.drain()
    _exit(code.rawValue)
  }

  /// Why an operation failed, without the path: it may be that of a draft, unknown to the user.
  private static func causes(of error: StorageError) -> String {
    [error.code == 0 ? nil : text(error.code), error.reason].compactMap { $0 }
      .joined(separator: "; ")
  }

  private static func text(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }
}
