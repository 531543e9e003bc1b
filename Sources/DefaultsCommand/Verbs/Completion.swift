import StrataDomains

/// Serves shells and readers of the manual.
extension Verb {
  /// Prints a shell's completion script.
  package static let completion = Verb(
    "completion", usesDomains: false,
    forms: [
      Form(
        Operand(.shell, "<shell>"), summary: "prints the completion script for bash, zsh or fish")
    ],
    notes: ["For bash: eval \"$(defaults completion bash)\", or install it with Scripts/install."],
    run: Completion.printScript)

  /// Prints the candidates for the next word, for that script.
  package static let complete = Verb(
    ShellCompletion.verb, isShown: false, usesDomains: false,
    forms: [
      Form(
        Operand(.shell, "<shell>"), Operand(.value, "<words>"), summary: "what could come next")
    ],
    run: Completion.printCandidates)

  /// Prints the manual page.
  package static let manual = Verb(
    "manual", usesDomains: false, forms: [Form(summary: "prints the manual page, for man -l -")],
    run: Completion.printManual)
}

private enum Completion {
  static func printScript(_ call: Call) throws(Failure) -> ExitCode {
    try call.session.console.write(try shell(call).script(for: call.grammar.program.fileName))
    return .success
  }

  static func printCandidates(_ call: Call) throws(Failure) -> ExitCode {
    let shell = try shell(call)
    // The first word is `--`, so that the others are not parsed as options of this verb.
    let typed = Array(call.words.dropFirst(2))
    let words = shell == .bash ? typed.map(ShellWord.unquoted) : typed
    if words.count > 1, others.contains(words[0]),
      let other = OtherProgram(words[0], call.session.console)
    {
      return try other.run([ShellCompletion.verb, shell.rawValue, "--"] + typed.dropFirst())
    }
    let (console, surroundings) = (call.session.console, call.session.process.surroundings)
    let candidates = Candidates(grammar: call.grammar, console: console) {
      (host, user) throws(Failure) in
      try Session(console, surroundings, host, user: user, isQuiet: true)
    }
    for line in try candidates.lines(words) { try call.session.print(line) }
    return .success
  }

  /// The verbs of other programs that complete their own words.
  private static let others: Set = ["fleet"]

  static func printManual(_ call: Call) throws(Failure) -> ExitCode {
    try call.session.console.write(ManualPage(grammar: call.grammar).text)
    return .success
  }

  private static func shell(_ call: Call) throws(Failure) -> ShellCompletion {
    guard let shell = ShellCompletion(rawValue: call.words[0]) else {
      let known = ShellCompletion.allCases.map(\.rawValue).joined(separator: ", ")
      throw .usage("no completion for \(call.words[0].debugDescription); use one of \(known)")
    }
    return shell
  }
}
