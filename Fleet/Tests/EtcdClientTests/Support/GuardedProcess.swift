import Glibc
import Synchronization

/// A program in the background that ends with its owner, even if the tests crash.
///
/// A shell starts it and waits for the end of a connection that only this process holds open.
final class GuardedProcess: Sendable {
  let identifier: pid_t
  private let shell: ChildProcess
  private let isEnded = Mutex(false)

  private static let script = """
    "$@" </dev/null >/dev/null 2>&1 &
    echo $!
    read -r _
    kill -KILL $!
    wait
    """

  init(_ program: String, _ arguments: [String]) throws {
    shell = try ChildProcess("/bin/sh", ["-c", Self.script, "guard", program] + arguments)
    guard let number = pid_t(shell.output(untilNewline: true).split(separator: "\n").first ?? "")
    else { throw ChildProcess.Failed(description: "\(program) did not start") }
    identifier = number
  }

  deinit { end() }

  func pause() { kill(identifier, SIGSTOP) }
  func resume() { kill(identifier, SIGCONT) }

  /// Kills it, and waits until it is gone.
  func end() {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    close(shell.connection)
    _ = shell.wait()
  }
}
