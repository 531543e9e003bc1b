extension Rule {
  /// The only folders that may speak to the system: conditions and the C library.
  private static let edgeFolders: Set = ["Platform"]
  /// The only targets that may hold pointers, each file with its proof; the last because methods
  /// that Apple declares take one.
  private static let pointerTargets: Set = [
    "StrataPropertyList", "StrataStorage", "StrataDefaults",
  ]

  static let edges = Rule(
    name: "conditions and system calls stay at the edge, pointers have a proof",
    trials: [
      .breaks(
        "a condition and the C library outside of Platform", at: "Sources/A/Store/A.swift:1",
        "Sources/A/Store/A.swift:2",
        in: ["Sources/A/Store/A.swift": "#if DEBUG\nimport StrataSystem\n#endif"]),
      .breaks(
        "the C library by its name", at: "Sources/StrataStorage/Platform/A.swift:2",
        in: [
          "Sources/StrataStorage/Platform/A.swift": "#if canImport(Musl)\nimport Musl\n#endif",
          "Sources/StrataSystem/Platform/B.swift": "#if canImport(Musl)\nimport Musl\n#endif",
        ]),
      .breaks(
        "a system call in a folder where pointers may be",
        at: "Sources/StrataStorage/Files/A.swift:2",
        in: [
          "Sources/StrataStorage/Files/A.swift":
            "// Safety: it is not kept.\nimport StrataSystem\nlet a: UnsafeRawPointer"
        ]),
      .breaks(
        "a pointer in another target, on each of its lines", at: "Sources/A/Platform/A.swift:1",
        "Sources/A/B.swift:1", "Sources/A/B.swift:2",
        in: [
          "Sources/A/Platform/A.swift": "let a: UnsafeMutablePointer<Int>  // Safety: none.",
          "Sources/A/B.swift": "a.withUnsafeBytes { _ in }\nlet b: UnsafeRawPointer",
        ]),
      .breaks(
        "a pointer without a proof, at the first", at: "Sources/StrataStorage/Files/A.swift:2",
        "Sources/StrataStorage/Values/B.swift:1", "Sources/StrataPropertyList/C.swift:1",
        in: [
          "Sources/StrataStorage/Files/A.swift":
            "let s = \"Safety:\"\nlet a: UnsafeRawPointer\nlet b: OpaquePointer",
          "Sources/StrataStorage/Values/B.swift": "a.withUnsafeBytes { _ in }",
          "Sources/StrataPropertyList/C.swift": "let c: UnsafeBufferPointer<UInt8>",
        ]),
      .keeps(
        "the edge, pointers with their proof, and tests",
        in: [
          "Sources/StrataStorage/Platform/A.swift":
            "#if os(Linux)\nimport StrataSystem\n#endif\n"
            + "// Safety: lives as long as self.\nlet a: UnsafeRawPointer",
          "Sources/StrataStorage/Values/B.swift":
            "// Safety: it is not kept.\na.withUnsafeBytes { _ in }",
          "Sources/StrataPropertyList/C.swift":
            "/// Safety: bounds are checked.\nlet c: UnsafeBufferPointer<UInt8>",
          "Tests/A/A.swift": "#if DEBUG\nimport Glibc\n#endif\nlet a: UnsafeRawPointer",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).flatMap { file in
      let place = file.targetAndFolders
      return (edgeFolders.contains(place?.folders.first ?? "") ? [] : systemWords(in: file))
        + (place?.target == systemTarget ? [] : libraryNames(in: file))
        + pointers(in: file, isAllowed: pointerTargets.contains(place?.target ?? ""))
    }
  }

  private static func systemWords(in file: SourceFile) -> [Violation] {
    let conditions = file.tokens.filter { $0.kind == .condition && $0.text.hasPrefix("#if") }
    let imports = file.declarations.filter { $0.kind == "import" && $0.name == systemTarget }
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

  private static func libraryNames(in file: SourceFile) -> [Violation] {
    file.declarations.filter { $0.kind == "import" && libraries.contains($0.name) }.map {
      Violation(
        path: file.path, line: $0.line, what: "\($0.name) is not the C library everywhere",
        mend: "Import \(systemTarget)")
    }
  }

  /// One violation per line outside of the targets for pointers, one per file without a proof.
  private static func pointers(in file: SourceFile, isAllowed: Bool) -> [Violation] {
    let words = file.tokens.filter { $0.kind == .word && isPointerWord($0.text) }
    if isAllowed, !file.lines(withTag: "Safety:").isEmpty { return [] }
    var lines: Set<Int> = []
    return words.filter { lines.insert($0.line).inserted }.prefix(isAllowed ? 1 : .max).map {
      Violation(
        path: file.path, line: $0.line,
        what: isAllowed
          ? "\($0.text) has no proof" : "\($0.text) stands in a target without pointers",
        mend: isAllowed
          ? "Say in a comment with the tag Safety: why no access can leave its bounds or "
            + "outlive its memory"
          : "Use arrays, slices or spans, or move it to \(names(of: pointerTargets))"
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
