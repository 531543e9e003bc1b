/// One argument that a verb takes.
package struct Operand: Hashable, Sendable {
  package enum Kind: Sendable {
    /// A name, `-app Name`, `-g` or a path.
    case domain
    /// A key of the domain that precedes it.
    case key
    /// A key that need not exist.
    case newKey
    case file
    /// All remaining arguments, which may include type flags.
    case value
    case verb
    case shell
    case other
  }

  package let kind: Kind
  /// As help shows it.
  package let placeholder: String

  init(_ kind: Kind, _ placeholder: String) {
    self.kind = kind
    self.placeholder = placeholder
  }

  static let domain = Operand(.domain, "<domain>")
  static let key = Operand(.key, "<key>")
  /// Standard input or output instead of a file.
  static let standard = Operand(.file, "-")
  static let file = Operand(.file, "<path to plist>")
}
