extension Rule {
  static let purpose = Rule(
    name: "a source file begins with its purpose",
    trials: [
      .breaks("no comment", at: "Sources/A/A.swift:2", in: ["Sources/A/A.swift": "\nstruct A {}"]),
      .breaks(
        "a comment on the second declaration only", at: "Sources/A/A.swift:3",
        in: ["Sources/A/A.swift": "import B\n\nlet a = 1\n\n/// Is B.\nstruct B {}"]),
      .breaks(
        "no sentence", at: "Sources/A/A.swift:1",
        in: ["Sources/A/A.swift": "// The way\n// of the world\n\n// Yes.\nlet a = 1"]),
      .breaks(
        "statements alone", at: "Sources/A/main.swift:1", in: ["Sources/A/main.swift": "f()"]),
      .keeps(
        "a doc comment before attributes, or a comment at the start",
        in: [
          "Sources/A/A.swift":
            "import B\n\n/// Is\n/// A.\n///\n/// More\n@frozen\npublic struct A {}",
          "Sources/A/B.swift": "// What B is.\nextension B {}",
          "Sources/A/main.swift": "// Runs it.\n\nf()",
          "Tests/A/A.swift": "struct A {}",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).compactMap { file in
      guard let purpose = purpose(of: file) else {
        return Violation(
          path: file.path, line: file.declarations.first { $0.kind != "import" }?.line ?? 1,
          what: "the file does not say what it is for",
          mend: "Begin it with a one-sentence // comment, or its first declaration with a ///")
      }
      guard purpose.text.last.map(".:!?".contains) != true else { return nil }
      return Violation(
        path: file.path, line: purpose.line, what: "the purpose \"\(purpose.text)\" is no sentence",
        mend: "Make its first paragraph one sentence that ends with a full stop")
    }
  }

  /// The first paragraph of the comment at the file's start or on its first declaration.
  private static func purpose(of file: SourceFile) -> (text: String, line: Int)? {
    if let start = file.tokens.first, start.kind == .comment {
      let comments = file.tokens.enumerated().prefix { index, token in
        token.kind == .comment && token.line == start.line + index
      }
      return (paragraph(comments.map { $0.element.text.drop { "/* ".contains($0) } }), start.line)
    }
    let first = file.declarations.first { $0.kind != "import" }
    guard let first, !first.documentation.isEmpty else { return nil }
    return (paragraph(first.documentation.map { $0[...] }), first.line)
  }

  private static func paragraph(_ lines: [Substring]) -> String {
    lines.prefix { !$0.isEmpty }.joined(separator: " ").trimmed
  }
}
