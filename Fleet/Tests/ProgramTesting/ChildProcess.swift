package import Glibc

/// A program that was started with nothing open but its standard files.
///
/// Foundation's `Process` lets programs that are started at the same time inherit each other's
/// pipes, and then waits for all of them.
package struct ChildProcess {
  package struct Failed: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package let identifier: pid_t
  /// Our end of its standard input and output, which is one connection.
  package let connection: Int32

  package init(_ program: String, _ arguments: [String], mergesErrors: Bool = false) throws {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failed(description: "there is no connection: errno \(errno)")
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    if mergesErrors {
      posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    } else {
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    // Threads of Swift's block all signals, and a shell then never hears that its child has ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    // Safety: the texts are copies that are freed when the program has been started with them.
    var words = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var started: pid_t = 0
    let code = posix_spawnp(&started, program, &actions, &attributes, words, environ)
    guard code == 0 else {
      close(ends[0])
      throw Failed(description: "\(program) can't be started: errno \(code)")
    }
    identifier = started
    connection = ends[0]
  }

  /// What it has printed, until it has printed so much or has ended.
  package func output(untilNewline: Bool = false) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(connection, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      text += buffer[..<count]
      if untilNewline, text.contains(0x0A) { break }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Waits for its end.
  ///
  /// - Returns: whether it succeeded.
  package func wait() -> Bool {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }
}
