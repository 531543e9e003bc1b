/// Finds the declarations in a file's tokens, each with the comment and modifiers before it.
struct DeclarationScanner {
  private static let keywords = Declaration.typeKinds.union([
    "extension", "func", "init", "deinit", "subscript", "var", "let", "associatedtype", "macro",
    "import",
  ])
  private static let modifierWords: Set = [
    "public", "open", "package", "internal", "private", "fileprivate", "static", "final",
    "override", "required", "convenience", "mutating", "nonmutating", "consuming", "borrowing",
    "nonisolated", "isolated", "lazy", "weak", "unowned", "dynamic", "optional", "indirect",
    "prefix", "postfix", "infix", "distributed", "async",
  ]

  private let tokens: [Token]
  private var index = 0
  private var found: [Declaration] = []

  // What stands before the next declaration.
  private var documentation: [String] = []
  private var modifiers: [String] = []
  private var attributes: [String] = []
  private var displayName: String?

  // For each open brace: does it make its members public?
  private var scopes: [Bool] = []
  private var nextScopeIsPublic = false

  private init(_ tokens: [Token]) { self.tokens = tokens }

  static func declarations(in tokens: [Token]) -> [Declaration] {
    var scanner = DeclarationScanner(tokens)
    while scanner.index < tokens.count { scanner.step() }
    return scanner.found
  }

  private mutating func step() {
    let token = tokens[index]
    switch token.kind {
    case .comment: readComment(token.text)
    case .condition: break
    case .symbol where token.text == "@":
      readAttribute()
      return
    case .symbol where token.text == "{":
      scopes.append(nextScopeIsPublic)
      nextScopeIsPublic = false
      forgetPrefix()
    case .symbol where token.text == "}":
      _ = scopes.popLast()
      forgetPrefix()
    case .word where isModifier(token.text):
      readModifier(token.text)
      return
    case .word where isKeyword(token.text):
      readDeclaration(token)
      return
    default: forgetPrefix()
    }
    index += 1
  }

  private mutating func readComment(_ text: String) {
    if text.hasPrefix("///") || text.hasPrefix("/**") {
      documentation.append(text.dropFirst(3).trimmed)
    }
  }

  private mutating func readAttribute() {
    attributes.append(peek(1)?.text ?? "")
    index += 2
    guard peek()?.isSymbol("(") == true else { return }
    if let argument = peek(1), argument.kind == .literal { displayName = argument.text }
    skipParentheses()
  }

  private mutating func readModifier(_ word: String) {
    index += 1
    guard peek()?.isSymbol("(") == true else {
      modifiers.append(word)
      return
    }
    modifiers.append("\(word)(\(peek(1)?.text ?? ""))")
    skipParentheses()
  }

  private mutating func readDeclaration(_ keyword: Token) {
    let start = index
    index += 1
    if keyword.text == "import", peek(1)?.kind == .word, peek(1)?.line == keyword.line {
      index += 1  // `import class Module.Name`
    }
    let isPublic = makesPublic(keyword.text)
    found.append(
      Declaration(
        kind: keyword.text, name: name(after: keyword), line: keyword.line, modifiers: modifiers,
        attributes: attributes, displayName: displayName, documentation: documentation,
        isPublic: isPublic, depth: scopes.count, index: start))
    nextScopeIsPublic = isPublic && ["extension", "protocol"].contains(keyword.text)
    if peek()?.kind == .word { index += 1 }
    forgetPrefix()
  }

  private mutating func forgetPrefix() {
    (documentation, modifiers, attributes, displayName) = ([], [], [], nil)
  }

  private mutating func skipParentheses() {
    var depth = 0
    while let token = peek() {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      index += 1
      if depth == 0 { return }
    }
  }

  private func name(after keyword: Token) -> String {
    guard let next = peek() else { return "" }
    if ["init", "deinit", "subscript"].contains(keyword.text) { return keyword.text }
    if next.kind == .word || next.kind == .quotedName { return next.text }
    return tokens[index...].prefix { $0.kind == .symbol && $0.text != "(" }.map(\.text).joined()
  }

  private func makesPublic(_ kind: String) -> Bool {
    if modifiers.contains(where: { $0 == "public" || $0 == "open" }) { return true }
    let narrower = ["private", "package", "internal", "fileprivate"]
    return kind != "import" && scopes.last == true
      && !modifiers.contains(where: narrower.contains)
  }

  private func isModifier(_ word: String) -> Bool {
    guard !isMember else { return false }
    let next = peek(1)
    if word == "class" {
      return ["func", "var", "subscript", "override"].contains(next?.text)
    }
    guard Self.modifierWords.contains(word) else { return false }
    // `open(path)` is a call, `public(set)` is not; `prefix: 3` is an argument.
    if next?.isSymbol("(") == true { return word != "open" && word != "prefix" && word != "async" }
    return next?.kind == .word || next?.isSymbol("@") == true
  }

  private func isKeyword(_ word: String) -> Bool {
    guard Self.keywords.contains(word), !isMember, let next = peek(1) else { return false }
    if next.isSymbol(":") { return false }
    let contextual = ["actor", "macro", "extension", "import", "associatedtype"]
    return !contextual.contains(word) || next.kind == .word || next.kind == .quotedName
  }

  private var isMember: Bool { index > 0 && tokens[index - 1].isSymbol(".") }

  private func peek(_ distance: Int = 0) -> Token? {
    index + distance < tokens.count ? tokens[index + distance] : nil
  }
}
