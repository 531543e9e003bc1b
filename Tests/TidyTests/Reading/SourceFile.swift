/// One text file of the package, cut into lines and, if it is Swift, into tokens.
struct SourceFile: Sendable {
  /// From the package's root, with `/`.
  let path: String
  let lines: [Substring]
  let tokens: [Token]
  let declarations: [Declaration]

  init(path: String, text: String) {
    self.path = path
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last == "" { lines.removeLast() }
    self.lines = lines
    tokens = path.hasSuffix(".swift") ? Lexer.tokens(of: text) : []
    declarations = DeclarationScanner.declarations(in: tokens)
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  /// Python with JavaScript in its texts, which no formatter breaks.
  var isOfBrowser: Bool { path.hasPrefix("Settings/Tests/") }
  var isMarkdown: Bool { path.hasSuffix(".md") }
  var isSource: Bool { isSwift && path.hasPrefix("Sources/") }
  /// Whether it is a test of what the contract promises, maybe one in a browser or with etcd.
  var isTestOfPromises: Bool {
    isTest && !path.hasPrefix("Tests/TidyTests/")
      || isSwift && path.hasPrefix("Fleet/Tests/")
      || isOfBrowser && path.hasSuffix(".py")
  }
  var isTest: Bool { isSwift && path.hasPrefix("Tests/") }

  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The folder, `""` for the root.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// The target of a file in `Sources/` and the folders between it and the file.
  var targetAndFolders: (target: String, folders: [String])? {
    let parts = path.split(separator: "/").map(String.init)
    guard parts.count > 2, parts[0] == "Sources" else { return nil }
    return (parts[1], Array(parts[2..<(parts.count - 1)]))
  }

  /// The lines that carry a comment with this tag.
  func lines(withTag tag: String) -> Set<Int> {
    Set(tokens.filter { $0.kind == .comment && $0.text.contains(tag) }.map(\.line))
  }
}

extension StringProtocol {
  var trimmed: String {
    let isBlank = { (character: Character) in character.isWhitespace }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
