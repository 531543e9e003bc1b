package import DefaultsCommand
public import RevisionedStore
package import StrataDomains

/// The command `defaults fleet`: finds the verb that the arguments name, runs it, and reports
/// errors.
public enum FleetProgram {
  /// The verbs that need a store, in the order of the help.
  package static let verbs: [FleetVerb] = [
    .plan, .publish, .promote, .rollback, .status, .history, .preview, .enroll, .doctor, .agent,
    .dev,
  ]

  package static let grammar = Grammar(
    .fleet, verbs: verbs.map(\.verb) + [.help, .completion, .manual, .complete])

  /// Runs the command with the arguments of this process, and exits.
  ///
  /// - Parameter connect: opens a store. It is not called by verbs that need none. Those that ask
  ///   about members and rights need one that is a `StoreAdministration`, too.
  public static func main(
    connect: @escaping @Sendable (StoreLocation) throws(StoreError) -> any RevisionedStore
  ) async -> Never {
    let console: SystemConsole
    let code: ExitCode
    do throws(Failure) {
      let arguments = try SystemConsole.arguments()
      let verb = arguments.first.flatMap { grammar.verb(named: $0) }
      console = SystemConsole(isBrief: verb?.lasts != true)
      if verb?.lasts == true { SystemConsole.catchSignals() }
      code = await run(arguments, console, .current, connect: connect)
    } catch {
      console = SystemConsole(isBrief: true)
      code = Program.report(error, nil, grammar, console)
    }
    console.exit(code)
  }

  /// Runs the command with these arguments, which do not include the program's name.
  package static func run(
    _ arguments: [String], _ console: any Console, _ surroundings: ProcessSurroundings,
    connect: @escaping FleetCall.Connect
  ) async -> ExitCode {
    do throws(Failure) {
      return try await dispatch(arguments[...], console, surroundings, connect)
    } catch {
      let verb = arguments.first.flatMap { grammar.verb(named: $0) }
      return Program.report(error, verb, grammar, console)
    }
  }

  private static func dispatch(
    _ arguments: ArraySlice<String>, _ console: any Console, _ surroundings: ProcessSurroundings,
    _ connect: @escaping FleetCall.Connect
  ) async throws(Failure) -> ExitCode {
    guard let name = arguments.first else { throw .usage("missing verb") }
    if let text = Program.information(name, grammar) {
      try console.write(text)
      return .success
    }
    guard let verb = grammar.verb(named: name) else {
      throw .usage(
        name.hasPrefix("-")
          ? "options follow the verb" : "unknown verb \(name.debugDescription)")
    }
    let call = try Parser.call(
      verb, arguments.dropFirst(), grammar, console, surroundings, .any)
    guard !call.has(.help) else {
      try console.write(HelpText(grammar: grammar).text(of: verb))
      return .success
    }
    guard let own = verbs.first(where: { $0.verb.name == verb.name }) else {
      return try verb.run(call)
    }
    return try await own.run(call, connect)
  }
}
