/// A verb of the command; parsing, help, the manual page and completion are derived from it.
package struct Verb: Sendable {
  /// One way to call it.
  package struct Form: Sendable {
    package let operands: [Operand]
    package let summary: String

    package init(_ operands: Operand..., summary: String) {
      self.operands = operands
      self.summary = summary
    }
  }

  package let name: String
  package let otherNames: [String]
  package let forms: [Form]
  package let options: [CommandOption]
  /// Paragraphs for the verb's help and the manual page.
  package let notes: [String]
  /// Whether macOS's command has it, too; such verbs come first in the help.
  package let isClassic: Bool
  /// Whether help, the manual page and completion list it.
  package let isShown: Bool
  /// Whether it changes defaults, so that an unexpected argument leaves them unchanged, and says
  /// so.
  package let isChange: Bool
  /// Whether it runs until it is ended, and must be notified of changes meanwhile.
  package let lasts: Bool
  /// Whether it works on the domains of all hosts, so that none can be chosen.
  package let isForAllHosts: Bool
  package let run: @Sendable (Call) throws(Failure) -> ExitCode

  /// - Parameter run: left out by a program that runs its verbs in another way: those that wait for
  ///   servers are asynchronous.
  package init(
    _ name: String, or otherNames: [String] = [], isClassic: Bool = false, isShown: Bool = true,
    isChange: Bool = false, lasts: Bool = false, usesDomains: Bool = true,
    isForAllHosts: Bool = false, forms: [Form],
    options: [CommandOption] = [], notes: [String] = [],
    run: @escaping @Sendable (Call) throws(Failure) -> ExitCode = { (call) throws(Failure) in
      throw .usage("\(call.verb.name): another program runs this verb")
    }
  ) {
    self.name = name
    self.otherNames = otherNames
    self.isClassic = isClassic
    self.isShown = isShown
    self.isChange = isChange
    self.lasts = lasts
    self.isForAllHosts = isForAllHosts
    self.forms = forms
    self.options = options + (usesDomains ? CommandOption.common : []) + [.help]
    self.notes = notes
    self.run = run
  }

  /// The operands at a position, one from each form that has so many.
  func operands(at position: Int) -> [Operand] {
    forms.compactMap { form in
      if form.operands.indices.contains(position) { return form.operands[position] }
      return form.operands.last.flatMap { $0.isRepeated ? $0 : nil }
    }
  }

  func form(ofCount count: Int) -> Form? {
    forms.first { form in
      form.operands.count == count
        || form.operands.count < count && form.operands.last?.isRepeated == true
    }
  }

  func option(_ name: some StringProtocol) -> CommandOption? {
    options.first { $0.name == name }
  }

  /// Whether everything after the key belongs to the value, even if it looks like an option.
  var takesValue: Bool { forms.contains { $0.operands.last?.kind == .value } }
}
