extension Rule {
  /// Members that say what their protocol says, and inherit its comment.
  private static let inherited: Set = ["==", "<", "hash", "description", "debugDescription"]

  static let publicDocumentation = Rule(
    name: "every public declaration has a doc comment",
    trials: [
      .breaks(
        "types, members and initialisers", at: "Sources/A/A.swift:1", "Sources/A/A.swift:4",
        "Sources/A/A.swift:6",
        in: [
          "Sources/A/A.swift":
            "public struct A {\n  /// Is b.\n  @inlinable public var b: Int { 1 }\n"
            + "  public private(set) var c = 1\n  // Not a doc comment.\n  public init() {}\n}"
        ]),
      .breaks(
        "what a public protocol or extension makes public", at: "Sources/A/A.swift:2",
        "Sources/A/A.swift:5",
        in: [
          "Sources/A/A.swift":
            "/// Is P.\npublic protocol P { func f() }\n"
            + "/// More.\npublic extension P {\n  static func g() {}\n  private func h() {}\n}"
        ]),
      .keeps(
        "documented, inherited, and not public",
        in: [
          "Sources/A/A.swift":
            "/// Is A.\npublic struct A: Hashable {\n"
            + "  public static func == (a: A, b: A) -> Bool {}\n"
            + "  var c = 1\n}\npublic import B\nlet handle = open(path, 1)",
          "Tests/A/A.swift": "public struct A {}",
        ]),
    ]
  ) { tree in
    tree.files.filter(\.isSource).flatMap { file in
      file.declarations.filter { declaration in
        declaration.isPublic && declaration.documentation.isEmpty
          && !["import", "extension"].contains(declaration.kind)
          && !inherited.contains(declaration.name)
      }
      .map {
        Violation(
          path: file.path, line: $0.line,
          what: "public \($0.kind)\($0.kind == $0.name ? "" : " \($0.name)") has no doc comment",
          mend: "Say in a /// comment what a caller can rely on, or make it package")
      }
    }
  }
}
