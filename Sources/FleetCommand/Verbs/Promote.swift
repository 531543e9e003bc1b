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
      return try await Promote.promote(fleet, to: rollout)
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
    run: Promote.rollback)
}

extension CommandOption {
  static let toShare = CommandOption("to", "<percent>", "only this share of the hosts, such as 20%")
  static let toVersion = CommandOption("to", "<version>", "this version; see history")
}

private enum Promote {
  static func promote(
    _ fleet: FleetCall, to rollout: Rollout?
  ) async throws(Failure) -> ExitCode {
    let name = try PolicyChange.name(fleet.call.words[0])
    let state = FleetState(try await fleet.read(FleetState.ranges))
    return try await PolicyChange.run(fleet, state, [(name, .promote(to: rollout))])
  }

  static func rollback(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let name = try PolicyChange.name(fleet.call.words[0])
    let history = try await PolicyHistory(name, fleet)
    let edit = Edit.rollback(to: try await earlier(history, fleet))
    let state = FleetState(try await fleet.read(FleetState.ranges))
    // What is published is based on the state, so the state must be what the edit was chosen for.
    guard state.publication.policies[name.text]?.revision ?? 0 == history.revision else {
      throw Failure(
        "\(name.text) was changed meanwhile; see 'defaults fleet history \(name.text)', and try "
          + "again if it is still right\nNothing was published.")
    }
    return try await PolicyChange.run(fleet, state, [(name, edit)])
  }

  /// The version to go back to; nil if it is the candidate that is to be taken back.
  private static func earlier(
    _ history: PolicyHistory, _ fleet: FleetCall
  ) async throws(Failure) -> Policy.Version? {
    if let text = fleet.call.value(of: .toVersion) {
      guard let number = Int64(text) else {
        throw .usage("\(text.debugDescription) is not a version; use a number such as 3")
      }
      return try history.version(number)
    }
    return try await history.previous(fleet)
  }
}
