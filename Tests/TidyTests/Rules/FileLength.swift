extension Rule {
  static let fileLength = Rule(
    name: "a Swift file has at most 400 lines",
    trials: [
      .breaks(
        "401 lines", at: "Fuzz/A.swift:401",
        in: ["Fuzz/A.swift": String(repeating: "let a = 1\n", count: 401)]),
      .keeps(
        "400 lines", in: ["Tests/A/A.swift": String(repeating: "let a = 1\n", count: 400)]),
    ]
  ) { tree in
    tree.files.filter { $0.isSwift && $0.lines.count > 400 }.map { file in
      Violation(
        path: file.path, line: 401, what: "the file has \(file.lines.count) lines",
        mend: "Move one concern into a file named Type+Concern.swift")
    }
  }
}
