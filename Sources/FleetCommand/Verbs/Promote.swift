import DefaultsCommand
import FleetModel

/// Lets more hosts have a candidate, or takes it back.
extension FleetVerb {
  static let promote = FleetVerb(
    "promote",
    forms: [Form(.policy, summary: "lets more hosts, or all, have the candidate")],
    options: [.toShare, .ring] + PolicyChange.options,
    notes: [PolicyChange.exitNote],
    run: { (fleet) throws(Failure) in
      let rollout = try PolicyChange.rollout(.toShare, fleet)
      return try await Promote.run(fleet, .promote(to: rollout))
    })

  static let rollback = FleetVerb(
    "rollback",
    forms: [
      Form(.policy, summary: "takes the candidate back, or publishes the version before")
    ],
    options: [.toVersion] + PolicyChange.options,
    notes: [
      "If there is a candidate, it is taken back. Without one, or with --to, the content of an "
        + "earlier version is published as a new version, on all hosts: without --to, of the one "
        + "that was on all hosts before, which for the first is to have no values.",
      PolicyChange.exitNote,
    ],
    run: { (fleet) throws(Failure) in
      try await Promote.run(fleet, .rollback(to: try await Promote.earlier(fleet)))
    })
}

extension CommandOption {
  static let toShare = CommandOption("to", "<percent>", "only this share of the hosts, such as 20%")
  static let toVersion = CommandOption("to", "<version>", "this version; see history")
}

private enum Promote {
  static func run(_ fleet: FleetCall, _ edit: Edit) async throws(Failure) -> ExitCode {
    let name = try PolicyChange.name(fleet.call.words[0])
    let state = FleetState(try await fleet.read(FleetState.ranges))
    return try await PolicyChange.run(fleet, state, [(name, edit)])
  }

  /// The version to go back to; nil if it is the candidate that is to be taken back.
  static func earlier(_ fleet: FleetCall) async throws(Failure) -> Policy.Version? {
    let name = try PolicyChange.name(fleet.call.words[0])
    let history = try await PolicyHistory(name, fleet)
    if let text = fleet.call.value(of: .toVersion) {
      guard let number = Int64(text) else {
        throw .usage("\(text.debugDescription) is not a version; use a number such as 3")
      }
      return try history.version(number)
    }
    return try await history.previous(fleet)
  }
}
