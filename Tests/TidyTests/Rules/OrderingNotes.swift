extension Rule {
  private static let orderings: Set = [
    "relaxed", "acquiring", "releasing", "acquiringAndReleasing", "sequentiallyConsistent",
  ]

  static let orderingNotes = Rule(
    name: "an ordering of memory has its reason in the same file",
    trials: [
      .breaks(
        "no reason, at the first", at: "Sources/A/A.swift:2",
        in: [
          "Sources/A/A.swift":
            "let a = \"Ordering:\"\na.load(ordering: .relaxed)\na.store(1, ordering: .releasing)"
        ]),
      .keeps(
        "a reason, a word of another meaning, and tests",
        in: [
          "Sources/A/A.swift": "// Ordering: a number.\na.load(ordering: .relaxed)",
          "Sources/A/B.swift": "let relaxed = 1",
          "Tests/A/A.swift": "a.load(ordering: .relaxed)",
        ]),
    ]
  ) { tree in
    tree.files.filter { $0.isSource && $0.lines(withTag: "Ordering").isEmpty }.compactMap { file in
      guard let word = ordering(in: file.tokens) else { return nil }
      return Violation(
        path: file.path, line: word.line, what: ".\(word.text) has no reason",
        mend: "Say in a comment with the tag Ordering: what it pairs with, or why it need not")
    }
  }

  private static func ordering(in tokens: [Token]) -> Token? {
    tokens.indices.dropFirst().first {
      tokens[$0].kind == .word && orderings.contains(tokens[$0].text)
        && tokens[$0 - 1].isSymbol(".")
    }
    .map { tokens[$0] }
  }
}
