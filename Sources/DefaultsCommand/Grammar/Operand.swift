/// One argument that a verb takes.
package struct Operand: Hashable, Sendable {
  package enum Kind: Sendable {
    /// A path of `--path` in the domain that precedes it.
    case path
    /// A name, `-app Name`, `-g` or a path.
    case domain
    /// A key of the domain that precedes it.
    case key
    /// A key that need not exist.
    case newKey
    /// A key that the domain's Settings bundle describes.
    case describedKey
    /// A word for a value of the described key that precedes it.
    case choice
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
  /// Whether it can be given several times; only the last operand of a form can.
  package let isRepeated: Bool

  package init(_ kind: Kind, _ placeholder: String, isRepeated: Bool = false) {
    self.kind = kind
    self.isRepeated = isRepeated
    self.placeholder = placeholder
  }

  /// Whether it is typed as help shows it, such as `list` after `settings`.
  var isWord: Bool { kind == .other && placeholder.utf8.first != UInt8(ascii: "<") }

  package static let domain = Operand(.domain, "<domain>")
  package static let key = Operand(.key, "<key>")
  /// Standard input or output instead of a file.
  static let standard = Operand(.file, "-")
  static let file = Operand(.file, "<path to plist>")
}
