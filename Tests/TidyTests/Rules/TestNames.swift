extension Rule {
  static let testNames = Rule(
    name: "a test's name is a sentence",
    trials: [
      .breaks(
        "names of one word", at: "Tests/A/A.swift:1", "Tests/A/A.swift:2", "Tests/A/A.swift:5",
        in: [
          "Tests/A/A.swift":
            "@Test func reads() {}\n@Test(\"reads\") func b() {}\n"
            + "@Test(\n  arguments: [\"a b\"])\nfunc `reads`() {}"
        ]),
      .keeps(
        "sentences, and functions that are no tests",
        in: [
          "Tests/A/A.swift":
            "@Test func `a reader sees its own write`() {}\n@Test(\"a read sees it\") func b() {}\n"
            + "func reads() {}",
          "Sources/A/A.swift": "@Test func reads() {}",
        ]),
    ]
  ) { tree in
    tree.files.flatMap { file in
      tests(in: file).filter { !($0.displayName ?? $0.name).contains(" ") }.map {
        Violation(
          path: file.path, line: $0.line, what: "the test is named \($0.displayName ?? $0.name)",
          mend: "Write the rule it proves as a sentence in backticks: func `a read sees it`()")
      }
    }
  }

  static func tests(in file: SourceFile) -> [Declaration] {
    guard file.isTest else { return [] }
    return file.declarations.filter { $0.kind == "func" && $0.attributes.contains("Test") }
  }
}
