/// Prints help on all verbs or on one.
extension Verb {
  package static let help = Verb(
    "help", isClassic: true, usesDomains: false,
    forms: [
      Form(summary: "print this help"),
      Form(Operand(.verb, "<verb>"), summary: "print help on one verb"),
    ],
    run: Help.run)
}

private enum Help {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let help = HelpText(grammar: call.grammar)
    guard let name = call.words.first else {
      try call.session.console.write(help.all)
      return .success
    }
    guard let verb = call.grammar.verb(named: name) else {
      throw .usage("unknown verb \(name.debugDescription)")
    }
    try call.session.console.write(help.text(of: verb))
    return .success
  }
}
