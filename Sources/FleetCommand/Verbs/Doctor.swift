import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList

/// Looks for what is wrong, and says what to do.
extension FleetVerb {
  static let doctor = FleetVerb(
    "doctor",
    forms: [Form(summary: "checks the store, the hosts and their clocks, and says what to mend")],
    options: [.json],
    notes: ["Exits with 1 if an error is found; a warning alone does no harm yet."],
    run: Doctor.run)
}

private enum Doctor {
  static func run(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let store = try fleet.administration()
    let members = await store.memberStatuses()
    let certificates = store.certificates()
    var diagnosis = Diagnosis()
    diagnosis.add(certificates, at: fleet.now)
    diagnosis.add(members)
    var state: FleetState?
    do throws(Failure) {
      let found = FleetState(try await fleet.read(FleetState.ranges))
      diagnosis.add(found, at: fleet.now)
      state = found
    } catch {
      // What the members say is reported all the same.
      fleet.session.report(error.text ?? "")
    }
    if fleet.has(.json) {
      try fleet.print(json: json(diagnosis, members, certificates))
    } else {
      try show(diagnosis, members, state, fleet)
    }
    let isBroken = state == nil || diagnosis.findings.contains { $0.severity == .error }
    return isBroken ? .failure : .success
  }

  private static func show(
    _ diagnosis: Diagnosis, _ members: [MemberStatus], _ state: FleetState?, _ fleet: FleetCall
  ) throws(Failure) {
    let session = fleet.session
    if !session.isQuiet {
      for member in members {
        guard case .success(let health) = member.health else { continue }
        try session.print(
          "\(Shown.text(member.endpoint))  etcd \(Shown.text(health.version))"
            + "\(health.isLeader ? "  leader" : "")  revision \(health.revision), "
            + "\(health.databaseBytes >> 20) MB")
      }
      if let state {
        let policies = Shown.count(state.policies.count, "policy")
        try session.print("\(Shown.count(state.hosts.count, "host")), \(policies)")
      }
    }
    for finding in diagnosis.findings {
      let text = "\(finding.severity.rawValue): \(finding.place): \(finding.text)"
      let line = Shown.text(text)
      try session.print(finding.severity == .error ? session.style.red(line) : line)
      try session.print("    " + finding.mend)
    }
    if diagnosis.findings.isEmpty, state != nil, !session.isQuiet {
      try session.print("no problems found")
    }
  }

  private static func json(
    _ diagnosis: Diagnosis, _ members: [MemberStatus], _ certificates: [CertificateStatus]
  ) -> PropertyListValue {
    [
      "findings": .array(
        diagnosis.findings.map {
          [
            "severity": .string($0.severity.rawValue), "place": .string($0.place),
            "text": .string($0.text), "mend": .string($0.mend),
          ]
        }),
      "members": .array(members.map(json)),
      "certificates": .array(
        certificates.map {
          ["file": .string($0.file), "end": .date(PropertyListDate(secondsSince1970: $0.end))]
        }),
    ]
  }

  private static func json(_ member: MemberStatus) -> PropertyListValue {
    var entry: [String: PropertyListValue] = ["endpoint": .string(member.endpoint)]
    switch member.health {
    case .failure(let error): entry["error"] = .string(error.description)
    case .success(let health):
      entry["version"] = .string(health.version)
      entry["databaseBytes"] = .integer(health.databaseBytes)
      entry["databaseBytesInUse"] = .integer(health.databaseBytesInUse)
      entry["quotaBytes"] = health.quotaBytes > 0 ? .integer(health.quotaBytes) : nil
      entry["leader"] = .boolean(health.isLeader)
      entry["hasLeader"] = .boolean(health.hasLeader)
      entry["learner"] = .boolean(health.isLearner)
      entry["revision"] = .integer(health.revision)
      entry["compactRevision"] = .integer(health.compactRevision)
      entry["alarms"] = .array(health.alarms.map { .string($0) })
    }
    return .dictionary(entry)
  }
}
