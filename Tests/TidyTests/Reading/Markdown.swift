/// The parts of a Markdown file that the rules read: prose, code spans, links, tables.
struct Markdown {
  struct Line {
    let number: Int
    let text: String
    let isFence: Bool
    let isCode: Bool
  }

  struct Span {
    let text: String
    let line: Int
  }

  struct Row {
    let cells: [String]
    let line: Int
  }

  let lines: [Line]

  init(_ file: SourceFile) {
    var isCode = false
    var lines: [Line] = []
    for (index, text) in file.lines.enumerated() {
      let isFence = text.trimmed.hasPrefix("```")
      lines.append(
        Line(number: index + 1, text: String(text), isFence: isFence, isCode: isCode && !isFence))
      if isFence { isCode.toggle() }
    }
    self.lines = lines
  }

  var prose: [Line] { lines.filter { !$0.isCode && !$0.isFence } }

  var codeSpans: [Span] {
    prose.flatMap { line in
      Self.codeSpans(in: line.text).map { Span(text: $0, line: line.number) }
    }
  }

  /// The targets of `[text](target)`, outside of code.
  var links: [Span] {
    prose.flatMap { line in
      Self.withoutCode(line.text).matches(of: #/\]\(([^)\s]+)[^)]*\)/#).map {
        Span(text: String($0.output.1), line: line.number)
      }
    }
  }

  /// The rows of the first table under a heading that contains `word`; the header row first.
  func table(under word: String) -> [Row]? {
    guard
      let heading = prose.firstIndex(where: { $0.text.hasPrefix("#") && $0.text.contains(word) })
    else { return nil }
    let section = prose[(heading + 1)...].prefix { !$0.text.hasPrefix("#") }
    let rows = section.drop { !$0.text.hasPrefix("|") }.prefix { $0.text.hasPrefix("|") }
    let isRule = { (line: Line) in line.text.allSatisfy { "|-: ".contains($0) } }
    let cells = rows.filter { !isRule($0) }.map { Row(cells: Self.cells($0.text), line: $0.number) }
    return cells.isEmpty ? nil : cells
  }

  /// What stands between backticks, be they one or two.
  static func codeSpans(in text: String) -> [String] {
    text.matches(of: #/``(.+?)``|`([^`]+)`/#).map {
      String($0.output.1 ?? $0.output.2 ?? "").trimmed
    }
  }

  private static func withoutCode(_ text: String) -> String {
    text.replacing(#/``.+?``|`[^`]+`/#, with: "")
  }

  private static func cells(_ row: String) -> [String] {
    row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map(\.trimmed)
  }
}
