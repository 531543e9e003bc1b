import DefaultsCommand
import FleetModel

/// Shows what files would change, and publishes them.
extension FleetVerb {
  static let plan = FleetVerb(
    "plan",
    forms: [Form(.policies, summary: "shows what publishing would change, and on which hosts")],
    options: [.canary, .ring, .renew, .author, .detailedExitCode, .json],
    notes: [Publish.fileNote, PolicyChange.exitNote],
    run: { (fleet) throws(Failure) in try await Publish.run(fleet, isPlan: true) })

  static let publish = FleetVerb(
    "publish",
    forms: [Form(.policies, summary: "publishes policies, to all hosts or to some at first")],
    options: [.canary, .ring, .renew] + PolicyChange.options,
    notes: [
      Publish.fileNote,
      "Publishing a policy again changes nothing. If somebody else has changed a policy "
        + "meanwhile, the difference is shown, and nothing is published. An empty dictionary as a "
        + "policy lifts what was said before; a policy that has no file stays as it is.",
      "Hosts refuse versions older than theirs. If the store was restored from a backup, --renew "
        + "publishes what it has of a policy again if hosts report a version that it lacks. As "
        + "with each version, values for once are set again then.",
      "On a terminal, or with --wait, shows how many hosts have the change already.",
      PolicyChange.exitNote,
    ],
    run: { (fleet) throws(Failure) in try await Publish.run(fleet, isPlan: false) })

  typealias Form = Verb.Form
}

extension CommandOption {
  static let canary = CommandOption(
    "canary", "<percent>", "only on this share of the hosts, such as 5%")
  static let renew = CommandOption(
    "renew", nil, "also what is published already, if hosts report a later version")
}

private enum Publish {
  static let fileNote =
    "A policy is a property list or JSON named LAYER/DOMAIN.plist or LAYER/DOMAIN.json; LAYER is "
    + "all, os:NAME, group:NAME, host:NAME or user:NAME. It maps forced, recommended and once to "
    + "keys and values. enforced is an array of keys, until maps keys to dates, reasons maps keys "
    + "to texts, and priority is a number."

  static func run(_ fleet: FleetCall, isPlan: Bool) async throws(Failure) -> ExitCode {
    let tree = try PolicyTree(fleet.call.words[0], fleet.session.console)
    let rollout = try PolicyChange.rollout(.canary, fleet)
    if fleet.has(.renew), rollout != nil {
      throw .usage("--renew is for all hosts, since those with a later version refuse a candidate")
    }
    let state = FleetState(try await fleet.read(FleetState.ranges))
    let edits = tree.files.map { file in
      let renews =
        fleet.has(.renew)
        && LostVersions.needsRenewal(of: file.name, state.hosts, state.publication)
      return (file.name, Edit.publish(file.content, to: rollout, renews: renews))
    }
    return try await PolicyChange.run(fleet, state, edits, isPlan: isPlan)
  }
}
