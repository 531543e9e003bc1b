extension Rule {
  /// The only folders that may speak to the system: conditions and the C library.
  private static let edgeFolders: Set = ["Platform"]
  /// The only folders that may hold pointers, each file with its proof.
  private static let pointerFolders: Set = ["Platform", "Files", "Coherence"]

  static let edges = Rule(
    name: "conditions, system calls and pointers stay at the edge",
    trials: [
      .breaks(
        "a condition and the C library outside of Platform", at: "Sources/A/Store/A.swift:1",
        "Sources/A/Store/A.swift:2",
        in: ["Sources/A/Store/A.swift": "#if DEBUG\nimport Glibc\n#endif"]),
      .breaks(
        "a pointer in a folder for values", at: "Sources/A/Values/A.swift:1",
        "Sources/A/B.swift:1",
        in: [
          "Sources/A/Values/A.swift": "let a: UnsafeMutablePointer<Int>  // Safety: none.",
          "Sources/A/B.swift": "a.withUnsafeBytes { _ in }",
        ]),
      .breaks(
        "a pointer without a proof", at: "Sources/A/Files/A.swift:2",
        in: [
          "Sources/A/Files/A.swift":
            "let s = \"Safety:\"\nlet a: UnsafeRawPointer\nlet b: OpaquePointer"
        ]),
      .keeps(
        "the edge, and tests",
        in: [
          "Sources/A/Platform/A.swift":
            "#if os(Linux)\nimport Glibc\n#endif\n"
            + "// Safety: lives as long as self.\nlet a: UnsafeRawPointer",
          "Sources/A/Files/B.swift": "// Safety: it is not kept.\na.withUnsafeBytes { _ in }",
          "Tests/A/A.swift": "#if DEBUG\nimport Glibc\n#endif\nlet a: UnsafeRawPointer",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).flatMap { file in
      let folder = file.targetAndFolders?.folders.first ?? ""
      return (edgeFolders.contains(folder) ? [] : systemWords(in: file))
        + pointers(in: file, isAllowed: pointerFolders.contains(folder))
    }
  }

  private static func systemWords(in file: SourceFile) -> [Violation] {
    let conditions = file.tokens.filter { $0.kind == .condition && $0.text.hasPrefix("#if") }
    let imports = file.declarations.filter { $0.kind == "import" && libraries.contains($0.name) }
    return conditions.map {
      Violation(
        path: file.path, line: $0.line, what: "\($0.text) stands outside of Platform/",
        mend: "Give the difference a name in Platform/ and call that")
    }
      + imports.map {
        Violation(
          path: file.path, line: $0.line, what: "\($0.name) is imported outside of Platform/",
          mend: "Wrap the system call in Platform/ and call that")
      }
  }

  /// One violation per line outside of the folders for pointers, one per file without a proof.
  private static func pointers(in file: SourceFile, isAllowed: Bool) -> [Violation] {
    let words = file.tokens.filter { $0.kind == .word && isPointerWord($0.text) }
    if isAllowed, !file.lines(withTag: "Safety:").isEmpty { return [] }
    var lines: Set<Int> = []
    return words.filter { lines.insert($0.line).inserted }.prefix(isAllowed ? 1 : .max).map {
      Violation(
        path: file.path, line: $0.line,
        what: isAllowed
          ? "\($0.text) has no proof" : "\($0.text) stands in a folder without pointers",
        mend: isAllowed
          ? "Say in a comment with the tag Safety: why no access can go out of bounds or outlive"
          : "Use arrays, slices or spans, or move it to \(names(of: pointerFolders))"
      )
    }
  }

  private static func names(of folders: Set<String>) -> String {
    folders.sorted().map { "\($0)/" }.joined(separator: ", ")
  }

  private static func isPointerWord(_ word: String) -> Bool {
    (word.hasPrefix("Unsafe") && word.hasSuffix("Pointer")) || word.hasPrefix("withUnsafe")
      || ["OpaquePointer", "Unmanaged", "unsafeBitCast", "unsafeDowncast"].contains(word)
  }
}
