import StrataDomains
import StrataPropertyList

/// Prints changes as they happen, until the command is ended.
extension Verb {
  static let watch = Verb(
    "watch", lasts: true,
    forms: [
      Form(summary: "prints changes of all domains as they happen"),
      Form(.domain, summary: "prints changes of the effective values of domain"),
      Form(.domain, .key, summary: "prints changes of the effective value of domain, key"),
    ],
    options: [.json],
    notes: [
      "Reports changes made by any process and by hand. With a domain, it reports changes of the "
        + "effective values, as shown by 'list'; without one, changes of the user's own domains, "
        + "including those for this host, which are marked.",
      "With --json each line is an object with domain, key and time (seconds since 1970), and with "
        + "old and new where such a value exists; host is the identifier of the host that a value "
        + "is for. Ends on Ctrl-C, or when the output is closed.",
    ],
    run: Watch.run)
}

private enum Watch {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let printer = ChangePrinter(session.console, isJSON: call.has(.json))
    session.console.holdSignals()
    let watch = try begin(call, printer)
    if session.console.isTerminal(.error) {
      session.note("watching for changes; press Ctrl-C to stop")
    }
    session.console.awaitEnd()
    withExtendedLifetime(watch) {}
    if let failure = printer.failure, failure != .closedPipe { throw failure }
    return .success
  }

  private static func begin(
    _ call: Call, _ printer: ChangePrinter
  ) throws(Failure) -> [AnyObject] {
    guard let domain = call.domains.first else { return try beginAll(call.session, printer) }
    let stack = call.session.process.stack(of: domain.identifier)
    Origins.addGroup(of: try call.session.description(of: domain), to: stack, call.session)
    let key = call.words.first
    let look = { @Sendable in
      let values = stack.values()
      return key.map { key in values.filter { $0.key == key } } ?? values
    }
    let reporter = ChangeReporter(from: look(), look) { printer.print($0, in: domain, of: nil) }
    let watch = stack.watch { reporter.check() }
    reporter.check()
    return [watch]
  }

  /// Watches the domains for all hosts and those for this one, or only those of a chosen host.
  private static func beginAll(
    _ session: Session, _ printer: ChangePrinter
  ) throws(Failure) -> [AnyObject] {
    var watches: [AnyObject] = [try watch(session, printer)]
    guard session.host == .any else { return watches }
    do throws(Failure) {
      watches.append(try watch(try session.on(.this), printer))
    } catch {
      // The domains for all hosts can be watched even if those for this one can't.
      session.report(error.text ?? "")
    }
    return watches
  }

  private static func watch(
    _ session: Session, _ printer: ChangePrinter
  ) throws(Failure) -> PlaceWatch {
    let host = session.domainHost
    let watch = PlaceWatch(session) { printer.print($1, in: $0, of: host) }
    try watch.begin()
    return watch
  }
}
