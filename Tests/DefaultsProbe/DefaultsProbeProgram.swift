import Foundation

import class StrataDefaults.UserDefaults

/// A program that uses its own settings as it is told: by default by lines on standard input, each
/// of which it answers with one.
///
/// The words of a line are separated by blanks and written as in URLs: `%20` is a blank.
@main struct DefaultsProbeProgram {
  static func main() {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "race": Race(key: arguments[2]).run()
    case "increment": Steps().increment(arguments[2], Int(arguments[3]) ?? 0)
    case "transact": Steps().transact()
    case "migrate": Steps().migrate(dyingAt: arguments.count > 2 ? Int(arguments[2]) : nil)
    case "sets":
      (0..<(Int(arguments[2]) ?? 0)).forEach { UserDefaults.standard.set($0, forKey: "key") }
    case nil, "-": serve()
    case let command?: fail("there is no command \(command)")
    }
  }

  private static func serve() {
    let service = DefaultsService(UserDefaults.standard)
    say("ready")
    while let line = readLine() {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map {
        String($0).removingPercentEncoding ?? String($0)
      }
      guard let command = words.first else { continue }
      say(service.answer(command, Array(words.dropFirst())))
    }
  }
}

/// Writes one line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func fail(_ text: String) -> Never {
  say("failed: \(text)")
  exit(64)
}
