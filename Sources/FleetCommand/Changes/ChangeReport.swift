import DefaultsCommand
import FleetModel
import StrataPropertyList

/// Prints changes of policies, and which hosts they affect.
struct ChangeReport {
  let fleet: FleetCall
  let state: FleetState
  let lost: [LostVersions]

  /// - Parameter problems: what is wrong with the changes.
  func show(_ changes: [Publication.Change], _ problems: [FleetProblem]) throws(Failure) {
    let session = fleet.session
    if fleet.has(.json) {
      try fleet.print(json: json(changes, problems))
    } else {
      if !session.isQuiet {
        for change in changes { try show(change) }
        try session.print(summary(changes))
      }
      for problem in problems { session.report("error: " + Shown.text("\(problem)")) }
    }
    for lost in lost {
      let change = changes.first { $0.name == lost.name }
      let text = "warning: " + lost.description(after: change?.after)
      // Nobody who has the lost version gets a candidate.
      change?.after.candidate != nil ? session.report(text) : session.note(text)
    }
    for change in changes where change.isRenewal && change.setsOnce {
      session.note(
        "warning: \(Shown.text(change.name.text)): its values for once are set again, also where "
          + "users have changed them")
    }
    fleet.note(state.problems)
  }

  private func show(_ change: Publication.Change) throws(Failure) {
    let session = fleet.session
    let hosts = state.hosts(changedBy: change)
    try session.print(
      session.style.bold(Shown.text(change.name.text))
        + "  \(Self.step(change)), \(Self.names(of: hosts))")
    try session.print(
      ContentNotation.difference(from: change.oldContent, to: change.newContent))
  }

  /// `version 3 → candidate 4 on 5% of the hosts`.
  static func step(_ change: Publication.Change) -> String {
    let old = change.before?.stable.map { "version \($0.number)" } ?? "new"
    if let candidate = change.after.candidate {
      let rollout = Shown.rollout(candidate.rollout)
      return "\(old) → candidate \(candidate.version.number) on \(rollout)" + lost(change)
    }
    guard change.after.stable != change.before?.stable else {
      let number = change.before?.candidate?.version.number ?? 0
      return "candidate \(number) is taken back, \(old) stays"
    }
    return "\(old) → version \(change.after.stable?.number ?? 0) on all hosts" + lost(change)
  }

  /// What is said of a candidate that ends, although nobody decided on it.
  private static func lost(_ change: Publication.Change) -> String {
    guard let number = change.before?.candidate?.version.number,
      number != change.after.stable?.number, number != change.after.candidate?.version.number
    else { return "" }
    return ", and candidate \(number) ends"
  }

  private static let namesMax = 5

  private static func names(of hosts: [KnownHost]) -> String {
    let names = hosts.prefix(namesMax).map(\.name).joined(separator: ", ")
    let rest = hosts.count > namesMax ? ", …" : ""
    return "affects \(Shown.count(hosts.count, "host"))"
      + (names.isEmpty ? "" : ": \(names)\(rest)")
  }

  private func summary(_ changes: [Publication.Change]) -> String {
    if changes.isEmpty { return "nothing changes" }
    let hosts = Set(changes.flatMap { state.hosts(changedBy: $0).map(\.name) })
    return "\(Shown.count(changes.count, "policy")), \(Shown.count(hosts.count, "host"))"
  }

  private func json(
    _ changes: [Publication.Change], _ problems: [FleetProblem]
  ) -> PropertyListValue {
    let lost = lost.map { lost in
      lost.description(after: changes.first { $0.name == lost.name }?.after)
    }
    let all = (problems + state.problems).map(\.description) + lost
    return [
      "changes": .array(changes.map(json)), "problems": .array(all.map { .string($0) }),
    ]
  }

  private func json(_ change: Publication.Change) -> PropertyListValue {
    var entry: [String: PropertyListValue] = [
      "policy": .string(change.name.text), "action": .string(change.action),
      "keys": ContentNotation.json(from: change.oldContent, to: change.newContent),
      "hosts": .array(state.hosts(changedBy: change).map { .string($0.name) }),
    ]
    entry["from"] = change.before?.stable.map { .integer($0.number) }
    entry["to"] = change.after.stable.map { .integer($0.number) }
    entry["candidate"] = change.after.candidate.map { .integer($0.version.number) }
    entry["rollout"] = change.after.candidate.map { .string(Shown.rollout($0.rollout)) }
    return .dictionary(entry)
  }
}

extension Publication.Change {
  /// Whether it only gives a content another number.
  var isRenewal: Bool {
    guard let newVersion, let stable = before?.stable else { return false }
    return after.stable == newVersion && stable.content == newVersion.content
  }

  var setsOnce: Bool { newContent?.entries.values.contains { $0.level == .once } ?? false }

  /// What the hosts that change have before.
  var oldContent: PolicyContent? {
    // Those that lose a candidate had it; all others had the stable version.
    action == AuditAction.withdraw ? before?.candidate?.version.content : before?.stable?.content
  }
  /// What they have after.
  var newContent: PolicyContent? { (after.candidate?.version ?? after.stable)?.content }
}
