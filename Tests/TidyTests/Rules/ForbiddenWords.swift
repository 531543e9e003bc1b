extension Rule {
  static let forbiddenWords = Rule(
    name: "words that hide a decision or an error do not appear",
    trials: [
      .breaks(
        "in comments", at: "Sources/A/A.swift:1", "Sources/A/A.swift:2", "Sources/A/A.swift:3",
        in: ["Sources/A/A.swift": "// MARK: - A\n/* TODO */\n/// FIXME\nlet mark = 1"]),
      .breaks(
        "in the names of files and types", at: "Sources/A/PathUtils.swift:1", "Tests/B/B.swift:2",
        "Tests/Helpers/C.swift:1",
        in: [
          "Sources/A/PathUtils.swift": "", "Tests/Helpers/C.swift": "",
          "Tests/B/B.swift": "let b = FileManager.default\nfinal class LockManager {}",
        ]),
      .breaks(
        "access that is not written", at: "Sources/A/A.swift:1", "Sources/A/A.swift:2",
        "Sources/A/A.swift:3",
        in: [
          "Sources/A/A.swift": "fileprivate let a = 1\ninternal import B\ninternal(set) var c = 1"
        ]),
      .breaks(
        "swallowed errors and output", at: "Sources/A/A.swift:1", "Sources/A/A.swift:2",
        "Sources/A/A.swift:3",
        in: ["Sources/A/A.swift": "let a = try? b()\nprint(a)\nlet c = \"\\(Swift.print(a))\""]),
      .breaks(
        "in tests, a mutex that the thread sanitizer does not see", at: "Tests/A/A.swift:1",
        in: ["Tests/A/A.swift": "let a = Mutex(1)", "Sources/A/A.swift": "let a = Mutex(1)"]),
      .keeps(
        "the same in strings, tests, members and longer names",
        in: [
          "Sources/A/A.swift": "let a = \"try? print(internal)\"\npage.print(a)\nfunc print() {}",
          "Sources/A/Commonality.swift": "enum Kind { case internal }\nlet k = Kind.internal",
          "Tests/A/A.swift": "let a = try? b()\nprint(a)",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSwift).flatMap { file in
      wordsInName(of: file) + wordsInComments(of: file) + wordsInTypes(of: file)
        + wordsInCode(of: file)
    }
  }

  private static let vagueNouns = ["Utils", "Helpers", "Helper", "Manager", "Common"]

  private static func wordsInName(of file: SourceFile) -> [Violation] {
    file.path.dropLast(".swift".count).split(separator: "/").compactMap { part in
      vagueNoun(in: String(part)).map {
        Violation(
          path: file.path, line: 1, what: "the name \(part) says \($0)",
          mend: "Name the file after the one type or the behaviour in it")
      }
    }
  }

  private static func wordsInTypes(of file: SourceFile) -> [Violation] {
    file.declarations.filter { Declaration.typeKinds.contains($0.kind) }.compactMap { type in
      vagueNoun(in: type.name).map {
        Violation(
          path: file.path, line: type.line, what: "the type \(type.name) says \($0)",
          mend: "Name it after what it is or does")
      }
    }
  }

  private static func wordsInComments(of file: SourceFile) -> [Violation] {
    file.tokens.filter { $0.kind == .comment }.compactMap { comment in
      ["MARK:", "TODO", "FIXME"].first(where: comment.text.contains).map {
        Violation(
          path: file.path, line: comment.line, what: "a comment says \($0)",
          mend: "Do it now, open an issue, or give the part a file of its own")
      }
    }
  }

  private static func wordsInCode(of file: SourceFile) -> [Violation] {
    file.tokens.indices.filter { file.tokens[$0].kind == .word }.compactMap { index in
      let around = (-2...1).map {
        file.tokens.indices.contains(index + $0)
          ? file.tokens[index + $0].text : ""
      }
      return complaint(about: around, inSource: file.isSource, inTest: file.isTest)
        .map { Violation(path: file.path, line: file.tokens[index].line, what: $0, mend: $1) }
    }
  }

  /// Judges a word by the two tokens before it and the one behind it.
  private static func complaint(
    about tokens: [String], inSource: Bool, inTest: Bool
  ) -> (what: String, mend: String)? {
    let (before, after) = (tokens[1], tokens[3])
    switch tokens[2] {
    case "fileprivate": return ("fileprivate is written", "Write private, or nothing")
    case "internal" where before != "." && before != "case":
      guard after == "(" || after.first?.isLetter == true else { return nil }
      return ("internal is written", "Leave it out: it is what nothing means")
    case "try" where inSource && after == "?":
      return ("try? swallows an error", "Catch the error and decide, or pass it on")
    case "print" where inSource && after == "(":
      let isOther = before == "func" || (before == "." && tokens[0] != "Swift")
      return isOther ? nil : ("print writes to standard output", "Return the text, or throw")
    case "Mutex" where inTest:
      return ("the thread sanitizer takes what Mutex guards for races", "Use Guarded")
    default: return nil
    }
  }

  /// The vague noun that `name` contains as a word of its own, as in `PathUtils+Names`.
  private static func vagueNoun(in name: String) -> String? {
    vagueNouns.first { noun in
      name.ranges(of: noun).contains { range in
        range.upperBound == name.endIndex || !name[range.upperBound].isLowercase
      }
    }
  }
}
