import DefaultsCommand
import FleetModel
import StrataPropertyList

/// Prints the versions of a policy.
extension FleetVerb {
  static let history = FleetVerb(
    "history",
    forms: [
      Form(.policy, summary: "shows all versions, each with its difference to the one before")
    ],
    options: [.json], run: History.run)
}

private enum History {
  static func run(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let name = try PolicyChange.name(fleet.call.words[0])
    let history = try await PolicyHistory(name, fleet)
    guard !history.versions.isEmpty || history.policy != nil else {
      fleet.note(history.problems)
      throw Failure("there is no policy \(name.text)")
    }
    if fleet.has(.json) {
      try fleet.print(json: .array(history.versions.map { json($0, history) }))
    } else {
      try show(history, fleet)
    }
    fleet.note(history.problems)
    return history.problems.isEmpty ? .success : .failure
  }

  private static func show(_ history: PolicyHistory, _ fleet: FleetCall) throws(Failure) {
    let session = fleet.session
    var before: PolicyContent?
    for version in history.versions {
      let state = state(of: version.number, history.policy).map { ", \($0)" } ?? ""
      try session.print(
        session.style.bold("version \(version.number)") + "  \(Shown.date(version.published))  "
          + "\(Shown.text(version.author)): \(Shown.text(version.reason))\(state)")
      try session.print(ContentNotation.difference(from: before, to: version.content))
      before = version.content
    }
  }

  private static func state(of number: Int64, _ policy: Policy?) -> String? {
    if policy?.stable?.number == number { return "on all hosts" }
    guard let candidate = policy?.candidate, candidate.version.number == number else { return nil }
    return "candidate on \(Shown.rollout(candidate.rollout))"
  }

  private static func json(_ version: Policy.Version, _ history: PolicyHistory) -> PropertyListValue
  {
    let before = history.versions.last { $0.number < version.number }
    var entry: [String: PropertyListValue] = [
      "version": .integer(version.number), "author": .string(version.author),
      "reason": .string(version.reason), "published": .date(version.published),
      "keys": ContentNotation.json(from: before?.content, to: version.content),
    ]
    entry["state"] = state(of: version.number, history.policy).map { .string($0) }
    return .dictionary(entry)
  }
}
