extension Rule {
  static let lineLength = Rule(
    name: "a line of code has at most 100 columns",
    trials: [
      .breaks(
        "101 columns", at: "Sources/A/A.swift:2",
        in: ["Sources/A/A.swift": "let a = 1\n" + String(repeating: "é", count: 101)]),
      .breaks(
        "in a C header", at: "Sources/C/c.h:1",
        in: ["Sources/C/c.h": String(repeating: "a", count: 101)]),
      .keeps(
        "100 columns, and prose",
        in: [
          "Sources/A/A.swift": String(repeating: "é", count: 100),
          "README.md": String(repeating: "a", count: 300),
        ]),
    ]
  ) { tree in
    tree.files.filter { !$0.isMarkdown && !$0.isOfBrowser }.flatMap { file in
      file.lines.enumerated().filter { $0.element.utf8.count > 100 && $0.element.count > 100 }
        .map { index, line in
          Violation(
            path: file.path, line: index + 1, what: "the line has \(line.count) columns",
            mend: "Break it at or before column 100")
        }
    }
  }
}
