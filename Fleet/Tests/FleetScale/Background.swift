import Foundation

/// Something of this program's own went wrong.
struct Mistake: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A program in the background that ends with this one, however that ends: a shell waits for the
/// end of its input, and then kills it.
final class Background {
  private let shell = Process()
  private let input = Pipe()
  let identifier: Int

  private static let script = """
    "$@" </dev/null >/dev/null 2>&1 &
    echo $!
    read -r _
    kill -KILL $!
    wait
    """

  init(_ words: [String]) throws {
    let output = Pipe()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Self.script, "sh"] + words
    (shell.standardInput, shell.standardOutput) = (input, output)
    // Threads of Swift's block all signals, and who is started by one inherits that.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let number = Int(text.prefix { $0 != "\n" }) else { throw Mistake("no \(words[0])") }
    identifier = number
  }

  /// Kills it, and waits until it is gone.
  func end() {
    guard shell.isRunning else { return }
    do {
      try input.fileHandleForWriting.close()
    } catch {
      shell.terminate()
    }
    shell.waitUntilExit()
  }

  var usage: Usage { get throws { try Usage(identifier) } }
}

/// What a process takes of the machine.
struct Usage {
  /// Now, and at most so far.
  let megabytes: Double
  let megabytesMax: Double
  /// Of processor time since its start.
  let seconds: Double

  /// Of this process.
  static var own: Usage { get throws { try Usage(Int(getpid())) } }

  init(_ process: Int) throws {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    func size(_ name: String) -> Double {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
      return (line.split(separator: " ").compactMap { Double($0) }.first ?? .nan) / 1_024
    }
    (megabytes, megabytesMax) = (size("VmRSS"), size("VmHWM"))
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // After the name in parentheses, the third of what is in the manual.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw Mistake("/proc/\(process)/stat is not as expected")
    }
    seconds = (user + system) / 100
  }
}
