/// The smallest piece of Swift source that a rule can speak about.
struct Token: Sendable, Equatable {
  enum Kind: Sendable {
    /// A keyword, a name or a number.
    case word
    /// A name in backticks; `text` is what stands between them.
    case quotedName
    /// A piece of a string literal, without its quotes and without its interpolations.
    case literal
    /// One comment with its slashes; a run of `//` lines is as many tokens.
    case comment
    /// `#if`, `#elseif`, `#else` or `#endif`, to the end of its line.
    case condition
    /// One character of punctuation.
    case symbol
  }

  let kind: Kind
  let text: String
  let line: Int

  func isSymbol(_ character: String) -> Bool { kind == .symbol && text == character }
  func isWord(_ word: String) -> Bool { kind == .word && text == word }
}
