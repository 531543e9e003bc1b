/// The manual page, for `man`.
struct ManualPage {
  let grammar: Grammar

  var text: String {
    var page = #".TH DEFAULTS 1 "" "Strata" "User Commands""# + "\n"
    page += ".SH NAME\ndefaults \\- access the user defaults system\n"
    page += ".SH SYNOPSIS\n.B defaults\n\(Self.escaped(HelpText.hosts)) \\fIverb\\fR ...\n"
    page += ".SH DESCRIPTION\n" + paragraphs(Self.description)
    page += ".SH VERBS\n" + grammar.verbs.filter(\.isShown).map(section).joined()
    page += ".SH VALUES\n" + paragraphs(Self.values)
    page += HelpText.flags.map { ".TP\n\(Self.escaped($0))\n" }.joined()
    page += ".SH EXIT STATUS\n" + paragraphs(Self.exitStatus)
    page += ".SH ENVIRONMENT\n" + Self.environment.map(entry).joined()
    page += ".SH FILES\n" + Self.files.map(entry).joined()
    return page
  }

  private func section(of verb: Verb) -> String {
    var text = ""
    for form in verb.forms {
      let words = form.operands.map { Self.escaped($0.placeholder) }.joined(separator: " ")
      text += ".TP\n\\fB\(Self.escaped(verb.name))\\fR \(words)\n"
      text += sentence(form.summary)
    }
    for option in verb.options where option != .help {
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

  /// Nothing in a text is a request or an escape of the formatter.
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

  private static let description = [
    "defaults reads, writes and deletes the settings of programs that use Strata, the user "
      + "defaults of Swift on Linux. Settings are values with keys, kept in domains, one for each "
      + "program and a global one for all. What is written counts at once, in programs that run, "
      + "too; it is on the disk when the command returns.",
    "A domain is a name such as com.example.app, -app with the name of an application, "
      + "-globalDomain or -g, or the absolute path of a property list with or without .plist. With "
      + "-currentHost or -host it is what is set for one host only.",
    "Verbs may be written in capitals. A verb that is not built in, X, runs the program "
      + "defaults-X beside this one or in PATH.",
  ]
  private static let values = [
    "A value without a flag is a string, unless one of \"()[]{}<> is in it: then it is a property "
      + "list in any notation."
  ]
  private static let exitStatus = [
    "0 for success; 1 for an error, which is told on the standard error, and where diff or check "
      + "found something; 255 for wrong usage, with help on the standard output."
  ]
  private static let environment = [
    ("VISUAL, EDITOR", "what edit opens."),
    ("NO_COLOR", "when it is set and not empty, nothing is coloured."),
    ("XDG_CONFIG_HOME", "where the user's domains are: defaults/ in it, else in ~/.config."),
  ]
  private static let files = [
    ("~/.config/defaults/ID.plist", "a domain of the user."),
    ("~/.config/defaults/ByHost/ID.HOST.plist", "what of it is for one host."),
    ("~/.config/defaults/.GlobalPreferences.plist", "the global domain."),
    ("/etc/defaults/ID.plist", "a domain of all users."),
    ("/etc/defaults/managed/ID.plist", "what an administrator forces."),
    ("/etc/defaults/recommended/ID.plist", "what an administrator suggests."),
  ]
}
