/// What the command can do, one at a time: from this come parsing, help, the manual page and
/// completion.
package struct Verb: Sendable {
  /// One way to say it.
  package struct Form: Sendable {
    package let operands: [Operand]
    package let summary: String

    init(_ operands: Operand..., summary: String) {
      self.operands = operands
      self.summary = summary
    }
  }

  package let name: String
  package let otherNames: [String]
  package let forms: [Form]
  package let options: [CommandOption]
  /// Paragraphs for the verb's help and the manual.
  package let notes: [String]
  /// Whether it is part of macOS's command, and comes first in the help.
  package let isClassic: Bool
  /// Whether people are told of it.
  package let isShown: Bool
  /// Whether it is one of those that change defaults, which say so when they leave them unchanged.
  let isChange: Bool
  /// Whether it goes on until it is ended, and must hear of what happens meanwhile.
  let lasts: Bool
  let run: @Sendable (Call) throws(Failure) -> ExitCode

  init(
    _ name: String, or otherNames: [String] = [], isClassic: Bool = false, isShown: Bool = true,
    isChange: Bool = false, lasts: Bool = false, forms: [Form], options: [CommandOption] = [],
    notes: [String] = [],
    run: @escaping @Sendable (Call) throws(Failure) -> ExitCode
  ) {
    self.name = name
    self.otherNames = otherNames
    self.isClassic = isClassic
    self.isShown = isShown
    self.isChange = isChange
    self.lasts = lasts
    self.forms = forms
    self.options = options + [.help]
    self.notes = notes
    self.run = run
  }

  /// What stands at a place among the operands in any of the forms.
  func operands(at position: Int) -> [Operand] {
    forms.compactMap { $0.operands.indices.contains(position) ? $0.operands[position] : nil }
  }

  func form(ofCount count: Int) -> Form? {
    forms.first { $0.operands.count == count }
  }

  func option(_ name: some StringProtocol) -> CommandOption? {
    options.first { $0.name == name }
  }

  /// Whether everything behind the key is the value's, whatever it looks like.
  var takesValue: Bool { forms.contains { $0.operands.last?.kind == .value } }
}
