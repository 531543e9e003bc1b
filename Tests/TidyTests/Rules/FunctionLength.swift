extension Rule {
  static let functionLength = Rule(
    name: "a function has at most 60 lines",
    trials: [
      .breaks(
        "a function of 61 lines, after a requirement", at: "Sources/A/A.swift:2",
        in: ["Sources/A/A.swift": "protocol P { func a(b: () -> Void) -> Int }\n" + function(61)]),
      .breaks(
        "an initialiser", at: "Sources/A/A.swift:1",
        in: ["Sources/A/A.swift": function(61, head: "init?<T>(a: T) throws(E) where T: P")]),
      .breaks(
        "a computed property", at: "Sources/A/A.swift:1",
        in: ["Sources/A/A.swift": function(61, head: "var a: [Int]")]),
      .keeps(
        "a function of 60 lines, and a long type",
        in: ["Sources/A/A.swift": function(60) + "\n" + function(90, head: "struct A")]),
    ]
  ) { tree in
    tree.files.filter(\.isSwift).flatMap { file in
      FunctionLengths.measure(file).filter { $0.lines > 60 }.map { function in
        Violation(
          path: file.path, line: function.line,
          what: "\(function.name) has \(function.lines) lines",
          mend: "Give a step of it a name and a function of its own")
      }
    }
  }

  private static func function(_ lines: Int, head: String = "func a()") -> String {
    "\(head) {\n" + String(repeating: "  f { \"}\" }\n", count: lines - 2) + "}"
  }
}
