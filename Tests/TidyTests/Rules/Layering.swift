extension Rule {
  /// The folders of a target from the lowest to the highest; a target without a row has none.
  private static let ranks: [String: [String]] = [
    "StrataStorage": [
      "Platform", "Values", "Files", "Coherence", "Journals", "Store", "Search", "Check",
    ],
    "StrataDomains": [
      "Platform", "Values", "Identifiers", "Places", "Arguments", "Archive", "Stack",
    ],
    "DefaultsCommand": ["Platform", "Notation", "Domains", "Grammar", "Verbs", "Program"],
  ]

  static let layering = Rule(
    name: "a folder names types of its own and of lower folders only",
    trials: [
      .breaks(
        "names that lie higher", at: "Sources/StrataStorage/Files/B.swift:2",
        "Sources/StrataStorage/Platform/A.swift:1",
        in: [
          "Sources/StrataStorage/Platform/A.swift": "struct A { let b: [B] }",
          "Sources/StrataStorage/Files/B.swift": "struct B {}\nextension StrataStorage.Watcher {}",
          "Sources/StrataStorage/Coherence/Watcher.swift": "final class Watcher {}",
        ]),
      .breaks(
        "a folder without a rank, and none", at: "Sources/StrataStorage/Other/A.swift:1",
        "Sources/StrataStorage/B.swift:1",
        in: ["Sources/StrataStorage/Other/A.swift": "", "Sources/StrataStorage/B.swift": ""]),
      .keeps(
        "lower names, nested and private names, comments and strings",
        in: [
          "Sources/StrataStorage/Platform/A.swift":
            "// A Store.\nstruct A { let kind = \"Store\", other = E.Store, k: Kind, s: Secret }",
          "Sources/StrataStorage/Files/Deep/B.swift": "struct B { let a: A, b: B }",
          "Sources/StrataStorage/Store/Store.swift":
            "struct Store { enum Kind {} }\nprivate struct Secret { let a: A }",
          "Sources/Other/C.swift": "struct A { let b: Store }",
        ]),
    ]
  ) { tree in
    ranks.flatMap { target, folders in
      let files = tree.files.filter { $0.isSource && $0.targetAndFolders?.target == target }
      let homes = lowestRanks(of: files, folders: folders)
      return files.flatMap { upwardNames(in: $0, folders: folders, homes: homes) }
    }
  }

  /// For each type at the top level of a file: the lowest folder that declares it.
  private static func lowestRanks(of files: [SourceFile], folders: [String]) -> [String: Int] {
    var homes: [String: Int] = [:]
    for file in files {
      guard let rank = rank(of: file, in: folders) else { continue }
      for type in file.declarations
      where type.depth == 0 && Declaration.typeKinds.contains(type.kind)
        && !type.modifiers.contains("private")
      {
        homes[type.name] = min(rank, homes[type.name] ?? rank)
      }
    }
    return homes
  }

  private static func upwardNames(
    in file: SourceFile, folders: [String], homes: [String: Int]
  ) -> [Violation] {
    guard let own = rank(of: file, in: folders) else {
      return [
        Violation(
          path: file.path, line: 1, what: "its folder has no rank",
          mend: "Move it into one of \(folders.joined(separator: ", ")), or rank the folder")
      ]
    }
    return file.tokens.indices.compactMap { index in
      let token = file.tokens[index]
      guard token.kind == .word, let home = homes[token.text], home > own,
        !isMember(at: index, in: file)
      else { return nil }
      return Violation(
        path: file.path, line: token.line,
        what: "\(folders[own])/ names \(token.text), which \(folders[home])/ above it declares",
        mend: "Take a closure or a value of a lower type instead")
    }
  }

  /// A name behind a dot is nested in another type, unless a module stands before the dot.
  private static func isMember(at index: Int, in file: SourceFile) -> Bool {
    guard index > 0, file.tokens[index - 1].isSymbol(".") else { return false }
    return index < 2 || file.tokens[index - 2].text != file.targetAndFolders?.target
  }

  private static func rank(of file: SourceFile, in folders: [String]) -> Int? {
    file.targetAndFolders?.folders.first.flatMap(folders.firstIndex(of:))
  }
}
