extension Rule {
  static let readme = Rule(
    name: "the README shows code by line 25 and has at most 700 words",
    trials: [
      .breaks(
        "code on line 26", at: "README.md:26",
        in: ["README.md": String(repeating: "\n", count: 25) + "```swift\nlet a = 1\n```"]),
      .breaks("no code, in a line", at: "README.md:1", in: ["README.md": "# Strata"]),
      .breaks(
        "701 words", at: "README.md:2",
        in: ["README.md": "```swift\n```\n" + String(repeating: "word ", count: 699)]),
      .breaks("no README", at: "README.md:1", in: [:]),
      .keeps(
        "code on line 25, 700 words",
        in: [
          "README.md": String(repeating: "\n", count: 24) + "```swift\n```\n"
            + String(repeating: "word ", count: 698)
        ]),
    ]
  ) { tree in
    guard let file = tree.file("README.md") else {
      return [Violation(path: "README.md", line: 1, what: "it is missing", mend: "Write it")]
    }
    let code = Markdown(file).lines.first { $0.isFence }?.number
    var violations: [Violation] = []
    if code ?? .max > 25 {
      violations.append(
        Violation(
          path: file.path, line: code ?? 1, what: "no code is shown by line 25",
          mend: "Move the first example up"))
    }
    let words = file.lines.map { $0.split(whereSeparator: \.isWhitespace).count }.reduce(0, +)
    if words > 700 {
      violations.append(
        Violation(
          path: file.path, line: min(2, file.lines.count), what: "it has \(words) words",
          mend: "Move what a newcomer does not need first into Documentation/"))
    }
    return violations
  }
}
