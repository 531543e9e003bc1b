/// The text that `help` prints.
package struct HelpText {
  let grammar: Grammar

  package init(grammar: Grammar) { self.grammar = grammar }

  private static let column = 39
  private var program: ProgramText { grammar.program }

  /// A summary of all verbs.
  package var all: String {
    let shown = grammar.verbs.filter(\.isShown)
    let (classic, others) = (shown.filter(\.isClassic), shown.filter { !$0.isClassic })
    let start = "'\(program.name)'" + program.start.dropFirst(program.name.count)
    return """
      \(program.title)
      Syntax:

      \(start) followed by one of the following:

      \(program.usesDomains ? table(classic) + Self.between + table(others) : table(shown))
      \(program.usesDomains ? Self.domains : "")\
      For details on a verb, type '\(program.name) help <verb>'.

      """
  }

  private static let between = "\nor by one of these, which macOS does not have:\n\n"

  private static var domains: String {
    """
    <domain> is ( <domain_name> | -app <application_name> | -globalDomain )
             or the absolute path of a property list, with or without '.plist'

    <value> is one of:
      <value_rep>
    \(flags.map { "  \($0.shown)\n" }.joined())

    """
  }

  /// A row for each form; blank lines set off verbs with several forms.
  private func table(_ verbs: [Verb]) -> String {
    var text = ""
    var hadSeveral = false
    for verb in verbs {
      let hasSeveral = verb.forms.count > 1
      if !text.isEmpty, hasSeveral || hadSeveral { text += "\n" }
      text += verb.forms.map { Self.row("  " + words(verb, $0), $0.summary) }.joined()
      hadSeveral = hasSeveral
    }
    return text
  }

  private func words(_ verb: Verb, _ form: Verb.Form) -> String {
    ([verb.name] + form.operands.map(\.placeholder)).joined(separator: " ")
  }

  /// Two columns; if the first is too wide, the second begins on the next line.
  private static func row(_ left: String, _ right: String) -> String {
    let gap = column - left.count
    return gap > 0
      ? left + String(repeating: " ", count: gap) + right + "\n"
      : left + "\n" + String(repeating: " ", count: column) + right + "\n"
  }

  /// The flags of values as help shows them, `-int[eger]` for two names of one type.
  static var flags: [(flag: ValueFlag, shown: String)] {
    let all = ValueFlag.allCases
    return all.enumerated().compactMap { index, flag in
      let name = flag.rawValue
      if index > 0, isLonger(name, than: all[index - 1].rawValue) { return nil }
      let longer = index + 1 < all.count ? all[index + 1].rawValue : ""
      let rest = isLonger(longer, than: name) ? "[\(longer.dropFirst(name.count))]" : ""
      return (flag, "-\(name)\(rest) \(flag.placeholder)")
    }
  }

  private static func isLonger(_ name: String, than other: String) -> Bool {
    name.hasPrefix(other) && !name.dropFirst(other.count).contains("-") && name != other
  }

  /// The full help for one verb.
  package func text(of verb: Verb) -> String {
    var text = "Syntax:\n\n"
    let start = verb.isForAllHosts ? program.name : program.start
    for form in verb.forms {
      text += "  \(start) \(words(verb, form))\n      \(form.summary)\n"
    }
    if !verb.otherNames.isEmpty {
      text += "\nAlso called \(verb.otherNames.joined(separator: ", ")).\n"
    }
    text += "\nOptions:\n\n"
    for option in verb.options { text += Self.row("  \(option.shown)", summary(of: option)) }
    for note in verb.notes { text += "\n" + Self.wrapped(note) }
    return text
  }

  /// What follows the message about a wrong call.
  package func syntax(of verb: Verb?) -> String {
    guard let verb else { return "For all verbs, type '\(program.name) help'.\n" }
    let lines = verb.forms.map { "\(program.name) \(words(verb, $0))\n" }
    return "usage: " + lines.joined(separator: "       ")
      + "For details, type '\(program.name) help \(verb.name)'.\n"
  }

  func summary(of option: CommandOption) -> String {
    option.choices.isEmpty
      ? option.summary : "\(option.summary): \(option.choices.joined(separator: ", "))"
  }

  /// A paragraph, wrapped at 80 columns.
  static func wrapped(_ paragraph: String) -> String {
    var lines = [""]
    for word in paragraph.split(separator: " ") {
      let last = lines.count - 1
      if lines[last].isEmpty {
        lines[last] = String(word)
      } else if lines[last].count + 1 + word.count <= 80 {
        lines[last] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
