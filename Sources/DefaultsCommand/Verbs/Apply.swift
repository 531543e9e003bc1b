import StrataPropertyList
import StrataStorage

/// Makes domains what files say.
extension Verb {
  static let apply = Verb(
    "apply", isChange: true,
    forms: [
      Form(
        Operand(.file, "<file> ...", isRepeated: true),
        summary: "applies the settings in property lists to their domains")
    ],
    options: [.dryRun, .prune, .detailedExitCode, .jsonLines],
    notes: [
      "A file is a property list in any format, or - for the standard input. It maps names of "
        + "domains to dictionaries of keys and values; the global domain has its usual names. Two "
        + "more names have a meaning: -currentHost has the same for this host, and -delete maps "
        + "domains to arrays of keys to delete.",
      "Prints each difference. Each domain changes in one step, and only if it differs, so that "
        + "applying a file again changes nothing. All files are checked first: if one is invalid, "
        + "nothing is changed. Of two files that set the same key, the later one counts.",
      "Exits with 0 whether or not something was changed, and with 1 on failure.",
    ],
    run: Apply.run)
}

extension CommandOption {
  static let prune = CommandOption(
    "prune", nil, "deletes the keys of these domains that no file has")
  package static let detailedExitCode = CommandOption(
    "detailed-exitcode", nil, "exits with 2 if something was changed, or would be")
  static let jsonLines = CommandOption(json.name, nil, "prints each difference as a line of JSON")
}

private enum Apply {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    var desired = DesiredDomains(call.session)
    for path in call.words {
      try desired.add(try call.session.dictionary(inFile: path, for: "apply"), from: path)
    }
    let ofHost = try call.session.on(.this)
    var isChanged = false
    var hasFailed = false
    var unprinted: Failure?
    for domain in desired.domains {
      let session = domain.host == call.session.host ? call.session : ofHost
      let difference: Difference
      do throws(Failure) {
        difference = try apply(domain, call, session)
      } catch {
        // The other domains can still become what they should be.
        session.report(error.text ?? "")
        hasFailed = true
        continue
      }
      if difference.isEmpty { continue }
      isChanged = true
      if unprinted != nil { continue }
      do throws(Failure) {
        try show(difference, domain.domain, call, session)
      } catch {
        unprinted = error  // so can they if nobody learns of it
      }
    }
    if let unprinted { throw unprinted }
    if hasFailed { return .failure }
    return isChanged && call.has(.detailedExitCode) ? .changed : .success
  }

  /// - Returns: what was changed, or would be.
  private static func apply(
    _ desired: DesiredDomains.Desired, _ call: Call, _ session: Session
  ) throws(Failure) -> Difference {
    let isPruned = call.has(.prune)
    if call.has(.dryRun) {
      return desired.difference(from: try session.values(of: desired.domain), isPruned: isPruned)
    }
    var made = Difference(from: [:], to: [:])
    try session.change(desired.domain) { (values) throws(Failure) in
      made = desired.difference(from: values, isPruned: isPruned)
      return ChangeSet(made.changes.map { Change(key: $0.key, value: $0.value.new) })
    }
    return made
  }

  private static func show(
    _ difference: Difference, _ domain: NamedDomain, _ call: Call, _ session: Session
  ) throws(Failure) {
    if session.isQuiet { return }
    let host = session.domainHost
    if call.has(.json) {
      for (key, change) in KeySorting.sorted(difference.changes) {
        try session.print(try ChangeLine(domain, host, key, change).json())
      }
    } else {
      let label = host.map { " \($0.label)" } ?? ""
      try session.print(session.style.bold(ShownName.text(of: domain.listedName)) + label)
      try session.print(difference)
    }
  }
}
