extension Rule {
  /// The folders of a target from the lowest to the highest; a target without a row has none.
  ///
  /// Checked are names of types, also of those that an extension nests in another type. What an
  /// extension adds to a lower type besides, as a method, is not.
  private static let ranks: [String: [String]] = [
    "StrataPropertyList": [
      "Values", "Text", "Binary", "XML", "OpenStep", "JSON", "Notations",
    ],
    "StrataStorage": [
      "Platform", "Values", "Files", "Coherence", "Journals", "Store", "Search", "Check",
    ],
    "StrataDomains": [
      "Platform", "Values", "Identifiers", "Places", "Arguments", "Archive", "Stack",
    ],
    "SettingsBundles": ["Values", "Reading"],
    "SettingsModel": ["Values", "Checking", "Writing", "Settings", "Places"],
    "RevisionedStore": ["Values", "Store", "Memory", "Following", "Conformance"],
    "FleetModel": ["Values", "Records", "Rules"],
    "FleetCommand": ["Connection", "Output", "State", "Files", "Changes", "Verbs", "Program"],
    "FleetAgent": ["State", "Files", "Running"],
    "SettingsPage": ["Platform", "Values", "Access", "State", "Server"],
    "StrataDefaults": [
      "Bridging", "Conversions", "Process", "Tracking", "Preferences", "Defaults", "Observation",
      "Keys", "Transactions", "Suites",
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
      .breaks(
        "names that lie higher, nested in a lower type",
        at: "Sources/StrataStorage/Files/A.swift:1",
        "Sources/StrataStorage/Platform/B.swift:1",
        in: [
          "Sources/StrataStorage/Files/A.swift": "extension A { let c: C }",
          "Sources/StrataStorage/Platform/A.swift": "struct A {}",
          "Sources/StrataStorage/Platform/B.swift": "struct B<C> { let c: C, d: A.C }",
          "Sources/StrataStorage/Store/C.swift": "extension A { struct C { let b: B } }",
        ]),
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

  /// For each type at the top level of a file, and each that is nested in it, as `Outer.Inner`: the
  /// lowest folder that declares it.
  private static func lowestRanks(of files: [SourceFile], folders: [String]) -> [String: Int] {
    var homes: [String: Int] = [:]
    for file in files {
      guard let rank = rank(of: file, in: folders) else { continue }
      for name in typeNames(in: file) { homes[name] = min(rank, homes[name] ?? rank) }
    }
    return homes
  }

  private static func typeNames(in file: SourceFile) -> [String] {
    var outer = ""
    return file.declarations.filter { $0.depth < 2 }.compactMap { declaration in
      if declaration.depth == 0 { outer = declaration.name }
      guard Declaration.typeKinds.contains(declaration.kind),
        !declaration.modifiers.contains("private")
      else { return nil }
      return declaration.depth == 0 ? declaration.name : "\(outer).\(declaration.name)"
    }
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
    let outers = Set(
      file.declarations.filter {
        $0.depth == 0 && ($0.kind == "extension" || Declaration.typeKinds.contains($0.kind))
      }.map(\.name))
    return file.tokens.indices.compactMap { index in
      let names = possibleNames(at: index, in: file, outers)
      guard let name = names.first(where: { homes[$0].map { $0 > own } ?? false }),
        let home = homes[name]
      else { return nil }
      return Violation(
        path: file.path, line: file.tokens[index].line,
        what: "\(folders[own])/ names \(name), which \(folders[home])/ above it declares",
        mend: "Take a closure or a value of a lower type instead")
    }
  }

  /// The types that a word may name. Behind a dot that is one nested in the type before it, or any
  /// of the module before it; else one at the top level or nested in a type that the file extends.
  private static func possibleNames(
    at index: Int, in file: SourceFile, _ outers: Set<String>
  ) -> [String] {
    let token = file.tokens[index]
    guard token.kind == .word else { return [] }
    guard index > 0, file.tokens[index - 1].isSymbol(".") else {
      return [token.text] + outers.map { "\($0).\(token.text)" }
    }
    guard index > 1 else { return [] }
    let outer = file.tokens[index - 2].text
    return outer == file.targetAndFolders?.target ? [token.text] : ["\(outer).\(token.text)"]
  }

  private static func rank(of file: SourceFile, in folders: [String]) -> Int? {
    file.targetAndFolders?.folders.first.flatMap(folders.firstIndex(of:))
  }
}
