/// Measures functions, initialisers, subscripts and computed properties, from keyword to brace.
enum FunctionLengths {
  struct Measured {
    let name: String
    let line: Int
    let lines: Int
  }

  static func measure(_ file: SourceFile) -> [Measured] {
    file.declarations.compactMap { declaration in
      guard let open = bodyStart(of: declaration, in: file.tokens) else { return nil }
      let close = bodyEnd(from: open, in: file.tokens)
      return Measured(
        name: declaration.name, line: declaration.line,
        lines: file.tokens[close].line - declaration.line + 1)
    }
  }

  private static func bodyStart(of declaration: Declaration, in tokens: [Token]) -> Int? {
    switch declaration.kind {
    case "func", "init", "subscript": functionBody(after: declaration.index, in: tokens)
    case "deinit": tokens[declaration.index...].firstIndex { $0.isSymbol("{") }
    case "var": computedBody(after: declaration, in: tokens)
    default: nil
    }
  }

  /// The brace behind the parameters, or nil for a protocol's requirement.
  private static func functionBody(after keyword: Int, in tokens: [Token]) -> Int? {
    let next: Set = [
      "func", "var", "let", "init", "deinit", "subscript", "case", "static", "mutating", "public",
      "package", "private", "associatedtype", "typealias", "struct", "class", "enum", "extension",
    ]
    var depth = 0
    for index in tokens.indices[(keyword + 1)...] {
      let token = tokens[index]
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      guard depth == 0 else { continue }
      if token.isSymbol("{") { return index }
      if token.isSymbol("}") || (token.kind == .word && next.contains(token.text)) { return nil }
    }
    return nil
  }

  /// The brace of `var name: Type {`, or nil for a stored property or a requirement.
  private static func computedBody(after declaration: Declaration, in tokens: [Token]) -> Int? {
    let rest = tokens[declaration.index...].prefix { $0.line == declaration.line }
    guard rest.contains(where: { $0.isSymbol(":") }), !rest.contains(where: { $0.isSymbol("=") }),
      let open = rest.firstIndex(where: { $0.isSymbol("{") })
    else { return nil }
    let accessors: Set = ["get", "set", "async", "throws", "{", "}"]
    let body = tokens[open...bodyEnd(from: open, in: tokens)]
    return body.allSatisfy { accessors.contains($0.text) } ? nil : open
  }

  private static func bodyEnd(from open: Int, in tokens: [Token]) -> Int {
    var depth = 0
    for index in tokens.indices[open...] {
      if tokens[index].isSymbol("{") { depth += 1 }
      if tokens[index].isSymbol("}") { depth -= 1 }
      if depth == 0 { return index }
    }
    return tokens.count - 1
  }
}
