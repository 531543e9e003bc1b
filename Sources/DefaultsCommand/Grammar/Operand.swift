/// One argument that a verb takes.
package struct Operand: Hashable, Sendable {
  package enum Kind: Sendable {
    /// A name, `-app Name`, `-g` or a path.
    case domain
    /// A key that the domain before it has.
    case key
    /// A key that it need not have.
    case newKey
    case file
    /// What is left, with flags of its own.
    case value
    case verb
    case shell
    case other
  }

  package let kind: Kind
  /// How help shows it.
  package let placeholder: String

  init(_ kind: Kind, _ placeholder: String) {
    self.kind = kind
    self.placeholder = placeholder
  }

  static let domain = Operand(.domain, "<domain>")
  static let key = Operand(.key, "<key>")
  /// The standard input or output instead of a file.
  static let standard = Operand(.file, "-")
  static let file = Operand(.file, "<path to plist>")
}
