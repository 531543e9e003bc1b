import StrataDomains
import StrataPropertyList

/// Prints changes as they happen, until it is ended.
extension Verb {
  static let watch = Verb(
    "watch", lasts: true,
    forms: [
      Form(summary: "prints each change of any domain as it happens"),
      Form(.domain, summary: "prints each change of what counts for domain"),
      Form(.domain, .key, summary: "prints each change of what counts for domain, key"),
    ],
    options: [.json],
    notes: [
      "Changes by any process and by hand are told. With a domain, they are those of the effective "
        + "values, which 'list' shows; without one, those of the user's domains themselves.",
      "With --json each line is an object with domain, key, time (seconds since 1970), and old and "
        + "new where there is such a value. It ends with Ctrl-C, or when nobody reads any more.",
    ],
    run: Watch.run)
}

private enum Watch {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let printer = ChangePrinter(session.console, isJSON: call.has(.json))
    session.console.holdSignals()
    let watch = try begin(call, printer)
    if session.console.isTerminal(.error) { try session.note("watching; Ctrl-C ends it") }
    session.console.awaitEnd()
    withExtendedLifetime(watch) {}
    if let failure = printer.failure, failure != .closedPipe { throw failure }
    return .success
  }

  private static func begin(
    _ call: Call, _ printer: ChangePrinter
  ) throws(Failure) -> AnyObject {
    guard let domain = call.domains.first else {
      let watch = PlaceWatch(call.session) { printer.print($1, in: $0) }
      try watch.begin()
      return watch
    }
    let stack = call.session.process.stack(of: domain.identifier)
    let key = call.words.first
    let look = { @Sendable in
      let values = stack.values()
      return key.map { key in values.filter { $0.key == key } } ?? values
    }
    let reporter = ChangeReporter(from: look(), look) { printer.print($0, in: domain) }
    let watch = stack.watch { reporter.check() }
    reporter.check()
    return watch
  }
}
