import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList

/// Prints the values that policies give a host.
extension FleetVerb {
  static let preview = FleetVerb(
    "preview",
    forms: [
      Form(summary: "shows which values policies give a host, and what they override"),
      Form(Operand(.domain, "<domain>"), summary: "the same for one domain"),
    ],
    options: [.host, .forUser, .json],
    notes: [
      "Without --host, it is the host that the key Host of the domain strata.fleet names, or this "
        + "one. The operating system is what the host's record says, or the host itself."
    ],
    run: Preview.run)
}

extension CommandOption {
  static let host = CommandOption("host", "<name>", "which host")
  static let forUser = CommandOption(
    "user", "<name>", "with the policies for this user of the host")
}

private enum Preview {
  static func run(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let name = try hostName(fleet)
    let host = try await host(name, fleet)
    let ranges = (host.facts.layers + host.facts.userLayers).map { FleetKey.policies(of: $0) }
    let state = FleetState(try await fleet.read(ranges))
    let evaluation = Evaluation(state.policies, on: host.facts, at: fleet.now)
    let user = fleet.call.value(of: .forUser)
    if let user, !host.facts.record.users.contains(user) {
      fleet.session.note(
        "warning: \(name) has no policies for the user \(ShownName.text(of: user)); its record "
          + "names none such")
    }
    let domain = fleet.call.domains.first?.identifier.name
    let levels = PolicyEntry.Level.allCases.map { level in
      (level, evaluation.values(level, for: user).filter { domain == nil || $0.key == domain })
    }
    if fleet.has(.json) {
      try fleet.print(json: json(levels))
    } else {
      try show(levels, host, fleet)
    }
    fleet.note(state.problems)
    return .success
  }

  private static func hostName(_ fleet: FleetCall) throws(Failure) -> String {
    let settings = try FleetSettings(fleet.session)
    let name = try settings.text(fleet.call, .host, .host) ?? fleet.session.console.hostName
    guard PlainName.isValid(name) else {
      throw Failure("\(name.debugDescription) can't be the name of a host; \(PlainName.rule)")
    }
    return name
  }

  private static func host(_ name: String, _ fleet: FleetCall) async throws(Failure) -> KnownHost {
    let keys = [FleetKey.host(name), FleetKey.status(name)].map { KeyRange.key($0.text) }
    let state = FleetState(try await fleet.read(keys))
    fleet.note(state.problems)
    let host = state.hosts.first ?? KnownHost(name, nil, nil)
    if !host.isEnrolled {
      fleet.session.note(
        "warning: \(name) has no record, so it is in no group; 'defaults fleet enroll \(name)' "
          + "makes one")
    }
    return host
  }

  private typealias Levels = [(
    level: PolicyEntry.Level, domains: [String: [String: Evaluation.Effective]]
  )]

  private static func show(
    _ levels: Levels, _ host: KnownHost, _ fleet: FleetCall
  ) throws(Failure) {
    let session = fleet.session
    let domains = Set(levels.flatMap(\.domains.keys)).sorted()
    for domain in domains {
      try session.print(session.style.bold(Shown.text(domain)))
      for (level, values) in levels {
        for (key, effective) in KeySorting.sorted(values[domain] ?? [:]) {
          try show(key, effective, level, session)
        }
      }
    }
    if domains.isEmpty { session.note("no policy gives \(host.name) a value") }
  }

  private static func show(
    _ key: String, _ effective: Evaluation.Effective, _ level: PolicyEntry.Level, _ session: Session
  ) throws(Failure) {
    let value = try LineText.text(of: effective.entry.value)
    let end = effective.entry.until.map { ", until \(Shown.date($0))" } ?? ""
    try session.print(
      "  \(ShownName.text(of: key)) = \(value)  \(level.rawValue) by "
        + "\(Shown.text(effective.policy.text)) version \(effective.version.number)\(end)")
    for overridden in effective.overrode {
      let value = try LineText.text(of: overridden.value)
      let policy = Shown.text(overridden.policy.text)
      try session.print(
        session.style.dim(
          "    instead of \(value)  by \(policy) version \(overridden.version)"))
    }
  }

  private static func json(_ levels: Levels) -> PropertyListValue {
    var domains: [String: [String: PropertyListValue]] = [:]
    for (level, values) in levels {
      for (domain, keys) in values {
        domains[domain, default: [:]][level.rawValue] = .dictionary(keys.mapValues(json))
      }
    }
    return .dictionary(domains.mapValues { .dictionary($0) })
  }

  private static func json(_ effective: Evaluation.Effective) -> PropertyListValue {
    var entry: [String: PropertyListValue] = [
      "value": effective.entry.value, "policy": .string(effective.policy.text),
      "version": .integer(effective.version.number), "author": .string(effective.version.author),
      "reason": .string(effective.entry.reason ?? effective.version.reason),
      "enforced": .boolean(effective.entry.isEnforced),
      "overrode": .array(
        effective.overrode.map {
          [
            "policy": .string($0.policy.text), "version": .integer($0.version), "value": $0.value,
          ]
        }),
    ]
    entry["until"] = effective.entry.until.map { .date($0) }
    return .dictionary(entry)
  }
}
