import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList

/// What `plan`, `publish`, `promote` and `rollback` have in common: show what changes and for whom,
/// and then, unless it is only a plan, make it so.
enum PolicyChange {
  static let options: [CommandOption] = [
    .reason, .author, .dryRun, .detailedExitCode, .wait, .noWait, .json,
  ]

  static let exitNote =
    "Exits with 0, with or without a change; with --detailed-exitcode, with 2 if something was "
    + "changed, or would be. Exits with 1 if it is refused or fails."

  static func run(
    _ fleet: FleetCall, _ state: FleetState, _ edits: Publisher.Edits, isPlan: Bool = false
  ) async throws(Failure) -> ExitCode {
    let isDry = isPlan || fleet.has(.dryRun)
    let circumstances = fleet.circumstances(reason: isDry ? "" : try reason(fleet))
    let wait = try RolloutWait(fleet)
    var shown = try await fleet.withNumbers(state.publication, of: edits.map(\.name))
    let lost = edits.compactMap { LostVersions(of: $0.name, state.hosts, shown) }
    for lost in lost {
      if let number = lost.last { shown.add(number, of: lost.name) }
    }
    let changes: [Publication.Change]
    do throws(FleetProblem) {
      changes = try shown.changes(by: edits, circumstances)
    } catch {
      let others = lost.map { "\n" + $0.description(after: nil) }.joined()
      throw Failure("\(error)\nNothing was published.\(others)")
    }
    let problems = try DescriptionCheck(fleet.session).problems(of: changes)
    try ChangeReport(fleet: fleet, state: state, lost: lost).show(changes, problems)
    guard problems.isEmpty else { return .failure }
    let code: ExitCode = fleet.has(.detailedExitCode) && !changes.isEmpty ? .changed : .success
    if isDry || changes.isEmpty { return code }
    var publisher = Publisher(fleet, edits, shown, circumstances)
    try await publisher.publish()
    if !fleet.has(.json), !fleet.session.isQuiet {
      for change in publisher.made {
        try fleet.session.print(
          "published: \(Shown.text(change.name.text)), \(ChangeReport.step(change))")
      }
    }
    try await wait.run(publisher.made)
    return code
  }

  private static func reason(_ fleet: FleetCall) throws(Failure) -> String {
    let verb = fleet.call.verb.name
    guard let reason = fleet.call.value(of: .reason), reason.contains(where: { !$0.isWhitespace })
    else { throw .usage("\(verb): say why, for the history: --reason TEXT") }
    return reason
  }

  /// The roll-out that options ask for: nil for all hosts.
  static func rollout(_ share: CommandOption, _ fleet: FleetCall) throws(Failure) -> Rollout? {
    let (share, ring) = (fleet.call.value(of: share), fleet.call.value(of: .ring))
    if let share, ring != nil {
      throw .usage("a roll-out goes by a share (\(share)) or by a ring, not by both")
    }
    if let ring { return .ring(try Self.ring(ring)) }
    guard let share else { return nil }
    return try Self.share(share)
  }

  static func ring(_ text: String) throws(Failure) -> Int64 {
    guard let ring = Int64(text), ring >= 0 else {
      throw .usage("\(text.debugDescription) is not a ring; use a number such as 1")
    }
    return ring
  }

  private static func share(_ text: String) throws(Failure) -> Rollout {
    guard text.hasSuffix("%"), text.utf8.allSatisfy({ "0123456789.%".utf8.contains($0) }),
      let percent = Double(text.dropLast()), (0.01...100).contains(percent)
    else {
      throw .usage(
        "\(text.debugDescription) is not a share of the hosts; use one such as 5%, from 0.01% to "
          + "100%")
    }
    return .share(Int((percent * 100).rounded()))
  }

  /// A policy as an operand names it.
  static func name(_ text: String) throws(Failure) -> PolicyName {
    let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2, let layer = PolicyLayer(parts[0]) else {
      throw Failure(
        "\(ShownName.text(of: text)) is not a policy; use LAYER/DOMAIN, where LAYER is all, "
          + "os:NAME, group:NAME, host:NAME or user:NAME")
    }
    let domain = try NamedDomain(typed: parts[1], isSetUID: true)
    guard let name = PolicyName(layer, domain.identifier) else {
      throw Failure("\(ShownName.text(of: text)): a domain that is a path can't have a policy")
    }
    return name
  }
}

extension CommandOption {
  static let ring = CommandOption(
    "ring", "<number>", "only on hosts of this ring and lower ones, as their records say")
  static let wait = CommandOption(
    "wait", "<seconds>", "how long to wait until all hosts have the change")
  static let noWait = CommandOption("no-wait", nil, "does not wait for the hosts")
}

extension Operand {
  static let policy = Operand(.other, "<layer/domain>")
  static let policies = Operand(.file, "<file|directory>")
}
