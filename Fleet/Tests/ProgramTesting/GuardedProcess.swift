import Foundation
package import Glibc
import Synchronization

/// A program in the background that ends with its owner, even if this one crashes.
///
/// A shell starts it and waits for the end of a connection that only this process holds open.
package final class GuardedProcess: Sendable {
  package let identifier: pid_t
  private let shell: ChildProcess
  private let isEnded = Mutex(false)

  private static let script = """
    "$@" </dev/null >/dev/null 2>&1 &
    echo $!
    read -r _
    kill -KILL $!
    wait
    """

  package init(_ program: String, _ arguments: [String]) throws {
    shell = try ChildProcess("/bin/sh", ["-c", Self.script, "guard", program] + arguments)
    guard let number = pid_t(shell.output(untilNewline: true).split(separator: "\n").first ?? "")
    else { throw ChildProcess.Failed(description: "\(program) did not start") }
    identifier = number
  }

  deinit { end() }

  /// Returns once all of its threads have stopped, which on a busy machine takes a while.
  package func pause() {
    kill(identifier, SIGSTOP)
    while !isStopped { usleep(1_000) }
  }

  private var isStopped: Bool {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task")
        .allSatisfy { thread in
          let line = try String(
            contentsOfFile: "/proc/\(identifier)/task/\(thread)/stat", encoding: .utf8)
          // The state comes after the name in parentheses.
          return line.split(separator: ")").last?.hasPrefix(" T") ?? false
        }
    } catch {
      return kill(identifier, 0) != 0  // a thread has ended meanwhile, or all have
    }
  }

  package func resume() { kill(identifier, SIGCONT) }

  /// Kills it, and waits until it is gone.
  package func end() {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    close(shell.connection)
    _ = shell.wait()
  }
}
