package import StrataDomains

/// The command: finds the verb that the arguments name, runs it, and reports errors.
public enum Program {
  package static let grammar = Grammar(
    .defaults,
    verbs: [
      .read, .readType, .write, .rename, .delete, .deleteAll, .importing, .export, .domains, .find,
      .help, .printHostIdentifier, .explain, .list, .describe, .set, .settings, .watch, .diff,
      .edit,
      .apply, .check, .backup, .restore, .completion, .manual, .complete,
    ])

  /// The version that `--version` prints.
  package static let version = "0.2.0"

  /// Runs the command with the arguments of this process, and exits.
  public static func main() -> Never {
    do throws(Failure) {
      let arguments = try SystemConsole.arguments()
      let console = SystemConsole(isBrief: !lasts(arguments))
      console.exit(run(arguments, console, .current))
    } catch {
      let console = SystemConsole(isBrief: true)
      console.exit(report(error, nil, grammar, console))
    }
  }

  /// Runs the command with these arguments, which do not include the program's name.
  package static func run(
    _ arguments: [String], _ console: any Console, _ surroundings: ProcessSurroundings
  ) -> ExitCode {
    do throws(Failure) {
      return try dispatch(arguments[...], console, surroundings)
    } catch {
      return report(error, verb(of: arguments), grammar, console)
    }
  }

  /// Whether the arguments name a verb that runs until it is ended.
  package static func lasts(_ arguments: [String]) -> Bool { verb(of: arguments)?.lasts ?? false }

  private static func verb(of arguments: [String]) -> Verb? {
    var rest = arguments[...]
    do throws(Failure) { _ = try Grammar.prefix(&rest) } catch { return nil }
    return rest.first.flatMap { grammar.verb(named: $0) }
  }

  private static func dispatch(
    _ arguments: ArraySlice<String>, _ console: any Console, _ surroundings: ProcessSurroundings
  ) throws(Failure) -> ExitCode {
    var rest = arguments
    let (host, options) = try Grammar.prefix(&rest)
    guard let name = rest.popFirst() else { throw .usage("missing verb") }
    if let text = information(name, grammar) {
      try console.write(text)
      return .success
    }
    guard let verb = grammar.verb(named: name) else {
      if host == .any, options.isEmpty, let other = OtherProgram(name, console) {
        return try other.run(Array(rest))
      }
      throw .usage("unknown verb \(name.debugDescription)")
    }
    if host != .any, verb.isForAllHosts {
      throw .usage(
        "\(verb.name): it is for all hosts; omit \(Grammar.thisHostFlag) or \(Grammar.hostFlag)")
    }
    let call = try Parser.call(verb, options + rest, grammar, console, surroundings, host)
    guard !call.has(.help) else {
      try console.write(HelpText(grammar: grammar).text(of: verb))
      return .success
    }
    return try verb.run(call)
  }

  /// What a program says of itself in place of running a verb; nil for another argument.
  package static func information(_ argument: String, _ grammar: Grammar) -> String? {
    switch argument {
    case "--version": "\(grammar.program.name) (Strata) \(version)\n"
    case "--help", "-h": HelpText(grammar: grammar).all
    default: nil
    }
  }

  /// Reports the failure of a run, with the syntax of the verb if the arguments are to blame.
  package static func report(
    _ failure: Failure, _ verb: Verb?, _ grammar: Grammar, _ console: any Console
  ) -> ExitCode {
    do throws(Failure) {
      if let text = failure.text {
        let name = failure.code == .usage ? "\(grammar.program.name): " : ""
        try console.write(name + ShownName.escaped(text) + "\n", to: .error)
      }
      if failure.code == .usage {
        try console.write(HelpText(grammar: grammar).syntax(of: verb), to: .error)
      }
    } catch {
      // The message could not be written; the exit code still reports the failure.
    }
    return failure.code
  }
}
