import Foundation

import class StrataDefaults.UserDefaults

/// A program that does what each line of standard input says, and answers each with one line.
///
/// Nothing of the library is used before a line says so, since much is decided at the first use.
@main struct DomainsProbeProgram {
  static func main() {
    let service: any Answering = DomainsService()
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard let command = words.first else { continue }
      say(service.answer(command, Array(words.dropFirst())))
    }
  }
}

/// Writes one line at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func fail(_ text: String) -> Never {
  say("failed: \(text)")
  exit(64)
}
