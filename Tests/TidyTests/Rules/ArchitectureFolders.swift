extension Rule {
  static let architecture = "ARCHITECTURE.md"

  static let architectureFolders = Rule(
    name: "the folders and the map of them agree",
    subject: architecture,
    trials: [
      .breaks(
        "a folder that is gone, and one that is not on the map", at: "ARCHITECTURE.md:2",
        "Sources/A/Files:1",
        in: [
          architecture: "`Sources/A/` and\n`Gone/`",
          "Sources/A/A.swift": "", "Sources/A/Files/A.swift": "",
        ]),
      .keeps(
        "whole paths, ends of paths, examples in code, and headers for C",
        in: [
          architecture: "`Sources/`, `A/`, `A/Files/`, `Tests/`, `/x`\n```\n`Gone/`\n```",
          "Sources/A/Files/A.swift": "", "Sources/A/include/a.h": "", "Tests/A.swift": "",
        ]),
    ]
  ) { tree in
    guard let map = tree.file(architecture) else { return [] }
    let spans = Markdown(map).codeSpans.filter { isFolderName($0.text) }
    let named = Set(spans.map { String($0.text.dropLast()) })
    let files = Set(tree.files.map(\.path))
    let folders = tree.paths.filter { path in
      !files.contains(path) && tree.paths.contains { $0.hasPrefix("\(path)/") }
    }
    return spans.filter { span in !folders.contains { ends($0, with: span.text.dropLast()) } }.map {
      Violation(
        path: map.path, line: $0.line, what: "there is no folder \($0.text)",
        mend: "Name the folder that took its place")
    }
      + folders.sorted().filter { folder in
        folder.hasPrefix("Sources/") && !folder.hasSuffix("/include")
          && !named.contains { ends(folder, with: $0[...]) }
      }
      .map {
        Violation(
          path: $0, line: 1, what: "the folder is not in \(architecture)",
          mend: "Say there, in backticks and with a / at the end, what it is for")
      }
  }

  private static func isFolderName(_ span: String) -> Bool {
    span.hasSuffix("/") && span.count > 1 && !span.contains(" ") && !span.contains("*")
      && !span.contains("<") && !"/~.$".contains(span.first ?? "/")
  }

  private static func ends(_ path: String, with name: Substring) -> Bool {
    path == name || path.hasSuffix("/\(name)")
  }
}
