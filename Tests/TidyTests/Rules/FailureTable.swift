extension Rule {
  static let failureTable = Rule(
    name: "every row of the failure table names its test",
    subject: architecture,
    trials: [
      .breaks(
        "no name, a wrong name", at: "ARCHITECTURE.md:5", "ARCHITECTURE.md:6",
        in: [
          architecture: table(["| torn record | a test | ", "| disk full | `a test that was` |"]),
          "Tests/A/A.swift": "@Test func `a test that is`() {}",
        ]),
      .breaks(
        "a code span beside the column for tests", at: "ARCHITECTURE.md:5",
        in: [
          architecture: table(["| `a test that is` | none |"]),
          "Tests/A/A.swift": "@Test func `a test that is`() {}",
        ]),
      .breaks("no table", at: "ARCHITECTURE.md:1", in: [architecture: "# Failure\n\nNone."]),
      .keeps(
        "quoted names, display names, function names",
        in: [
          architecture: table([
            "| `set` | `a test that is` |", "| b | `another test`, `third()` |", "| c | `fourth` |",
          ]),
          "Tests/A/A.swift":
            "@Test func `a test that is`() {}\n@Test(\"another test\") func second() {}\n"
            + "@Test(\"x y\") func third() {}\n@Test(\"x z\") func fourth() {}",
        ]),
    ]
  ) { tree in
    guard let notes = tree.file(architecture) else { return [] }
    guard let rows = Markdown(notes).table(under: "Failure") else {
      return [
        Violation(
          path: notes.path, line: 1, what: "there is no table under a heading with Failure",
          mend: "Keep one row for each failure, with the test that provokes it")
      ]
    }
    let names = tree.files.flatMap(tests(in:)).flatMap { [$0.name, $0.displayName ?? $0.name] }
    let tests = Set(names)
    let column = rows[0].cells.firstIndex { $0.lowercased().contains("test") }
    return rows.dropFirst().compactMap { row in
      let cell = column.map { $0 < row.cells.count ? row.cells[$0] : "" }
      let names = Markdown.codeSpans(in: cell ?? row.cells.joined(separator: " "))
        .map { $0.hasSuffix("()") ? String($0.dropLast(2)) : $0 }
      let unknown = names.filter { !tests.contains($0) }
      let isProved = column == nil ? unknown.count < names.count : unknown.isEmpty && !names.isEmpty
      if isProved { return nil }
      return Violation(
        path: notes.path, line: row.line,
        what: names.isEmpty ? "the row names no test" : "there is no test \(unknown)",
        mend: "Name in backticks the test that provokes this failure")
    }
  }

  private static func table(_ rows: [String]) -> String {
    "## Failure table\n\n| failure | test |\n|---|---|\n" + rows.joined(separator: "\n")
  }
}
