/// The manual page, for `man`.
package struct ManualPage {
  let grammar: Grammar

  package init(grammar: Grammar) { self.grammar = grammar }

  private var manual: ProgramText.Manual { grammar.program.manual }

  package var text: String {
    let program = grammar.program
    let name = Self.escaped(program.fileName)
    let flags = program.usesDomains ? Self.escaped(Grammar.hostFlags) + " " : ""
    var page = ".TH \(program.fileName.uppercased()) 1 \"\" \"Strata\" \"User Commands\"\n"
    page += ".SH NAME\n\(name) \\- \(Self.escaped(manual.purpose))\n"
    page += ".SH SYNOPSIS\n.B \(Self.escaped(program.name))\n\(flags)\\fIverb\\fR ...\n"
    page += ".SH DESCRIPTION\n" + paragraphs(manual.description)
    page += ".SH VERBS\n" + grammar.verbs.filter(\.isShown).map(section).joined()
    page += ".SH OPTIONS\n" + paragraphs(manual.options)
    page += program.common.map { entry($0.shown, $0.summary + ".") }.joined()
    if !manual.values.isEmpty {
      page += ".SH VALUES\n" + paragraphs(manual.values)
      page += HelpText.flags.map { entry($0.shown, $0.flag.summary) }.joined()
    }
    page += ".SH EXIT STATUS\n" + paragraphs(manual.exitStatus)
    page += ".SH ENVIRONMENT\n" + manual.environment.map(entry).joined()
    page += ".SH FILES\n" + manual.files.map(entry).joined()
    page += ".SH EXAMPLES\n" + manual.examples.map(example).joined()
    page += ".SH SEE ALSO\n" + paragraphs(manual.related)
    return page
  }

  private func section(of verb: Verb) -> String {
    var text = ""
    for form in verb.forms {
      let words = form.operands.map { Self.escaped($0.placeholder) }.joined(separator: " ")
      text += ".TP\n\\fB\(Self.escaped(verb.name))\\fR \(words)\n"
      text += sentence(form.summary)
    }
    let ownOptions = verb.options.filter { !grammar.program.common.contains($0) && $0 != .help }
    for option in ownOptions {
      text += ".RS\n.TP\n\(Self.escaped(option.shown))\n"
      text += sentence(HelpText(grammar: grammar).summary(of: option)) + ".RE\n"
    }
    for note in verb.notes { text += ".IP\n" + Self.escaped(note) + "\n" }
    return text
  }

  private func sentence(_ text: String) -> String { Self.escaped(text) + ".\n" }

  private func paragraphs(_ texts: [String]) -> String {
    texts.map { ".PP\n\(Self.escaped($0))\n" }.joined()
  }

  private func entry(_ name: String, _ text: String) -> String {
    ".TP\n\(Self.escaped(name))\n\(Self.escaped(text))\n"
  }

  private func example(_ command: String, _ text: String) -> String {
    ".TP\n\\fB\(Self.escaped(command))\\fR\n\(Self.escaped(text))\n"
  }

  /// Escapes a text, so that the formatter finds no request or escape in it.
  static func escaped(_ text: String) -> String {
    let plain = text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      default: String(character)
      }
    }.joined()
    return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
  }
}
