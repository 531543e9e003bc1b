import DefaultsCommand
import FleetModel
import StrataPropertyList

/// Prints which hosts have applied what.
extension FleetVerb {
  static let status = FleetVerb(
    "status",
    forms: [
      Form(summary: "shows which hosts have applied what, and what went wrong"),
      Form(.policy, summary: "the same for one policy"),
    ],
    options: [.json],
    notes: [
      "Exits with 1 if a host reports a problem, or if something in the store can't be read. A "
        + "host that is behind is no problem yet: a roll-out takes its time. With --quiet, prints "
        + "only hosts that are behind or have problems."
    ],
    run: Status.run)
}

private enum Status {
  static func run(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let state = FleetState(try await fleet.read(FleetState.ranges))
    let (hosts, policies) = try selected(state, fleet)
    let rows = hosts.map { Row(host: $0, lags: $0.behind(policies)) }
    if fleet.has(.json) {
      try fleet.print(json: json(rows, policies, state))
    } else {
      for row in rows where !fleet.session.isQuiet || row.isRemarkable {
        try show(row, fleet)
      }
      if !fleet.session.isQuiet {
        for policy in policies { try show(policy, rows, fleet) }
        try fleet.session.print(summary(rows, state))
      }
    }
    for problem in state.problems { fleet.session.report(Shown.text("\(problem)")) }
    let isWrong = !state.problems.isEmpty || rows.contains { !$0.problems.isEmpty }
    return isWrong ? .failure : .success
  }

  /// A line of the list of hosts.
  private struct Row {
    let host: KnownHost
    let lags: [KnownHost.Lag]
    var problems: [String] { host.status?.problems ?? [] }
    var isRemarkable: Bool { !lags.isEmpty || !problems.isEmpty || host.status == nil }
  }

  private static func selected(
    _ state: FleetState, _ fleet: FleetCall
  ) throws(Failure) -> (hosts: [KnownHost], policies: [Policy]) {
    guard let text = fleet.call.words.first else { return (state.hosts, state.policies) }
    let name = try PolicyChange.name(text)
    guard let policy = state.publication.policies[name.text]?.policy else {
      throw Failure("there is no policy \(name.text)")
    }
    return (state.hosts.filter { $0.has(name) }, [policy])
  }

  private static func show(_ row: Row, _ fleet: FleetCall) throws(Failure) {
    let (session, host) = (fleet.session, row.host)
    let now = fleet.now
    var words = [session.style.bold(host.name), word(row, session.style)]
    if let status = host.status {
      let time = Shown.duration(host.silence(at: now) ?? 0)
      words.append("heard of \(time) ago, revision \(status.revision)")
      if let os = host.facts.record.os ?? status.os { words.append(Shown.text(os)) }
      if !status.agent.isEmpty { words.append("agent \(Shown.text(status.agent))") }
    }
    if !host.isEnrolled { words.append("not enrolled") }
    try session.print(words.joined(separator: "  "))
    for lag in row.lags { try session.print("    " + text(lag, now)) }
    for problem in row.problems {
      try session.print("    " + session.style.red(Shown.text(problem)))
    }
  }

  private static func word(_ row: Row, _ style: Style) -> String {
    if row.host.status == nil { return style.dim("never heard of") }
    if !row.problems.isEmpty { return style.red(Shown.count(row.problems.count, "problem")) }
    return row.lags.isEmpty ? style.green("up to date") : "behind"
  }

  private static func text(_ lag: KnownHost.Lag, _ now: PropertyListDate) -> String {
    let has = lag.has.map { "version \($0)" } ?? "no version"
    if lag.isLost {
      return "\(Shown.text(lag.policy.text)): has \(has), which the store does not know of; "
        + "publish the policy with --renew"
    }
    guard let wanted = lag.wanted else {
      return "\(Shown.text(lag.policy.text)): has \(has), should have none"
    }
    let age = Shown.duration(
      now.secondsSinceReference - wanted.published.secondsSinceReference)
    return "\(Shown.text(lag.policy.text)): has \(has), should have version \(wanted.number), "
      + "published \(age) ago"
  }

  private static func show(
    _ policy: Policy, _ rows: [Row], _ fleet: FleetCall
  ) throws(Failure) {
    let concerned = rows.filter { $0.host.has(policy.name) && $0.host.status != nil }
    let behind = concerned.count { row in row.lags.contains { $0.policy == policy.name } }
    var text = Shown.text(policy.name.text)
    if let stable = policy.stable { text += "  version \(stable.number)" }
    if let candidate = policy.candidate {
      text += "  candidate \(candidate.version.number) on \(Shown.rollout(candidate.rollout))"
    }
    text += "  \(concerned.count - behind) of \(Shown.count(concerned.count, "host")) up to date"
    try fleet.session.print(text)
  }

  private static func summary(_ rows: [Row], _ state: FleetState) -> String {
    let behind = rows.count { !$0.lags.isEmpty }
    let silent = rows.count { $0.host.status == nil }
    let wrong = rows.count { !$0.problems.isEmpty }
    return "\(Shown.count(rows.count, "host")): \(behind) behind, \(wrong) with problems, "
      + "\(silent) never heard of; revision \(state.revision)"
  }

  private static func json(
    _ rows: [Row], _ policies: [Policy], _ state: FleetState
  ) -> PropertyListValue {
    [
      "revision": .integer(state.revision),
      "hosts": .array(rows.map(json)),
      "policies": .array(
        policies.map { policy in
          var entry: [String: PropertyListValue] = ["policy": .string(policy.name.text)]
          entry["version"] = policy.stable.map { .integer($0.number) }
          entry["candidate"] = policy.candidate.map { .integer($0.version.number) }
          entry["rollout"] = policy.candidate.map { .string(Shown.rollout($0.rollout)) }
          return .dictionary(entry)
        }),
      "problems": .array(state.problems.map { .string($0.description) }),
    ]
  }

  private static func json(_ row: Row) -> PropertyListValue {
    var entry: [String: PropertyListValue] = [
      "host": .string(row.host.name), "enrolled": .boolean(row.host.isEnrolled),
      "upToDate": .boolean(row.host.status != nil && row.lags.isEmpty),
      "problems": .array(row.problems.map { .string($0) }),
      "behind": .array(
        row.lags.map { lag in
          var entry: [String: PropertyListValue] = ["policy": .string(lag.policy.text)]
          entry["has"] = lag.has.map { .integer($0) }
          entry["wanted"] = lag.wanted.map { .integer($0.number) }
          entry["published"] = lag.wanted.map { .date($0.published) }
          return .dictionary(entry)
        }),
    ]
    if let status = row.host.status {
      entry["time"] = .date(status.time)
      entry["revision"] = .integer(status.revision)
      entry["agent"] = .string(status.agent)
      entry["os"] = status.os.map { .string($0) }
      entry["versions"] = .dictionary(status.versions.mapValues { .integer($0) })
    }
    return .dictionary(entry)
  }
}
