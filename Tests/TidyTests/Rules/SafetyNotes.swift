extension Rule {
  static let safetyNotes = Rule(
    name: "what the compiler does not check has its proof beside it",
    trials: [
      .breaks(
        "no proof, or one too far away", at: "Sources/A/A.swift:1", "Sources/A/A.swift:10",
        in: [
          "Sources/A/A.swift":
            "extension A: @unchecked Sendable {}\n\n// Safety: none.\n\n\n\n\n\n\n"
            + "nonisolated(unsafe) var a = 1"
        ]),
      .keeps(
        "on the line or the next, six lines above, or in a test",
        in: [
          "Sources/A/A.swift":
            "final class A: @unchecked Sendable {}  // Safety: it is empty.\n\n\n\n\n\n"
            + "nonisolated(unsafe) var a = 1",
          "Sources/A/B.swift": "final class B: @unchecked Sendable {\n  // Safety: it is empty.\n}",
          "Tests/A/A.swift": "final class A: @unchecked Sendable {}",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).flatMap { file in
      let proofs = file.lines(withTag: "Safety:")
      return uncheckedPromises(in: file.tokens).filter { promise in
        !proofs.contains { (promise.line - 6...promise.line + 1).contains($0) }
      }
      .map {
        Violation(
          path: file.path, line: $0.line, what: "\($0.text) has no proof",
          mend:
            "Say why in a comment with the tag Safety:, on the next line or at most six above"
        )
      }
    }
  }

  private static func uncheckedPromises(in tokens: [Token]) -> [Token] {
    tokens.indices.filter { index in
      switch tokens[index].text {
      case "unchecked": index > 0 && tokens[index - 1].isSymbol("@")
      case "nonisolated": tokens.dropFirst(index + 2).first?.isWord("unsafe") == true
      default: false
      }
    }
    .map { tokens[$0] }
  }
}
