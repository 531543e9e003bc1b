import CommandTesting
import Foundation

@testable import DefaultsCommand

/// A golden file: what is typed, and what then comes out, each byte.
///
/// A line `$ words` is a command, quoted as a shell would want it; the lines behind it are its
/// output (`|`), its errors (`!`) and, unless it is 0, its exit code (`=`). A `\` at the end says
/// that no line end was there. Lines with `#` and empty ones stay as they are. `HOME` stands for
/// the home directory.
struct Transcript {
  static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden")

  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path)
      .filter { $0.hasSuffix(".txt") }.sorted()
  }

  static func text(_ name: String) throws -> String {
    try String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8)
  }

  /// The same file with what comes out now.
  static func replay(_ text: String, in fixture: CommandFixture) -> String {
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("|") || line.hasPrefix("!") || line.hasPrefix("=") { continue }
      lines.append(String(line))
      guard line.hasPrefix("$ ") else { continue }
      let words = Self.words(line.dropFirst(2)).map {
        $0.replacingOccurrences(of: "HOME", with: fixture.directory)
      }
      var outcome = fixture.run(words, fixture.console())
      // The help is in one of the files, once.
      if outcome.code == .usage, outcome.output == HelpText(grammar: Program.grammar).all {
        outcome.output = "<the help of all verbs>"
      }
      lines += Self.marked(outcome.output, "|") + Self.marked(outcome.errors, "!")
      if outcome.code != .success { lines.append("= \(outcome.code.rawValue)") }
    }
    return lines.joined(separator: "\n").replacingOccurrences(of: fixture.directory, with: "HOME")
  }

  private static func marked(_ text: String, _ mark: String) -> [String] {
    guard !text.isEmpty else { return [] }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
      "\(mark) \($0)"
    }
    if text.utf8.last == UInt8(ascii: "\n") {
      lines.removeLast()
    } else {
      lines[lines.count - 1] += "\\"
    }
    return lines
  }

  /// Words in single quotes, in `$'…'` with escapes, or bare.
  static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var rest = line[...]
    while let first = rest.first {
      if first == " " {
        rest.removeFirst()
      } else if rest.hasPrefix("$'") {
        words.append(escaped(quoted(&rest, dropping: 2)))
      } else if first == "'" {
        words.append(String(quoted(&rest, dropping: 1)))
      } else {
        words.append(String(rest.prefix { $0 != " " }))
        rest = rest.drop { $0 != " " }
      }
    }
    return words
  }

  private static func quoted(_ rest: inout Substring, dropping count: Int) -> Substring {
    let body = rest.dropFirst(count).prefix { $0 != "'" }
    rest = rest[body.endIndex...].dropFirst()
    return body
  }

  /// `\n`, `\t`, and any scalar as `\u{…}`.
  private static func escaped(_ text: Substring) -> String {
    var result = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\\", let kind = rest.popFirst() else {
        result.append(character)
        continue
      }
      switch kind {
      case "n": result += "\n"
      case "t": result += "\t"
      case "u":
        let digits = rest.dropFirst().prefix { $0 != "}" }
        rest = rest[digits.endIndex...].dropFirst()
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
          result.unicodeScalars.append(scalar)
        }
      default: result.append(kind)
      }
    }
    return result
  }
}
