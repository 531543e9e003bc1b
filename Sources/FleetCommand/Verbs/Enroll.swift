import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList

/// Writes a host's record, and lets the host read its policies.
extension FleetVerb {
  static let enroll = FleetVerb(
    "enroll",
    forms: [
      Form(Operand(.other, "<host>"), summary: "says what a host is, and thereby its policies")
    ],
    options: [
      .group, .forUsers, .recordRing, .os, .label, .replace, .grant, .certificateName,
      .recordReason, .author, .dryRun, .detailedExitCode, .json,
    ],
    notes: [
      "What is not given stays as it is in the record; with --replace, it goes. --grant needs the "
        + "rights of the store's administrator. The host's certificate is issued by other means, "
        + "with the host's name as its common name; --certificate-name says if it has another. "
        + "Without --os, the host may read the "
        + "policies for all operating systems. After a change of groups or users, grant again.",
      "The audit says who changed a record or granted rights, when, and why if that is given.",
      PolicyChange.exitNote,
    ],
    run: Enroll.run)
}

extension CommandOption {
  static let group = CommandOption("group", "<name>", "a group that it is in; may be repeated")
  static let forUsers = CommandOption(
    "for-user", "<name>", "a user whose policies it needs; may be repeated")
  static let recordRing = CommandOption(
    "ring", "<number>", "when it gets candidates: 0 is the first; 9 if it is not given")
  static let os = CommandOption("os", "<name>", "its operating system, if not as it reports itself")
  static let label = CommandOption("label", "<key=value>", "a label; may be repeated")
  static let replace = CommandOption("replace", nil, "keeps nothing of the record that is there")
  static let grant = CommandOption(
    "grant", nil, "lets the host read its policies and report its status")
  static let recordReason = CommandOption("reason", "<text>", "why, for the audit")
  static let certificateName = CommandOption(
    "certificate-name", "<name>", "with --grant, the common name of its certificate")
}

private enum Enroll {
  static func run(_ fleet: FleetCall) async throws(Failure) -> ExitCode {
    let name = try plain(fleet.call.words[0], "host")
    let grant = try Grant(to: name, fleet)
    let keys = [FleetKey.host(name), FleetKey.status(name)].map(\.text)
    let snapshot = try await fleet.read(keys.map { .key($0) })
    let state = FleetState(snapshot)
    fleet.note(state.problems)
    let stored = snapshot.values.first { $0.key == keys[0] }
    let isWhole = stored.map { canBeKept($0, name) } ?? true
    guard isWhole || fleet.has(.replace) else {
      throw Failure(
        "the record of \(name) can't be read as a whole, so nothing of it can be kept; say all "
          + "that it is to have, with --replace")
    }
    let known = state.hosts.first
    let old = isWhole && known?.isEnrolled == true ? known?.facts.record : nil
    let record = try record(from: fleet.has(.replace) ? nil : old, fleet)
    // A record that can't be read differs from each that can.
    let revision = stored?.revision ?? 0
    let isChange = record != old
    try show(name, old, record, fleet)
    let code: ExitCode = isChange && fleet.has(.detailedExitCode) ? .changed : .success
    if fleet.has(.dryRun) { return code }
    if isChange {
      try await commit(
        StoreTransaction(
          conditions: [.revision(of: keys[0], is: revision)],
          operations: [.put(key: keys[0], value: try bytes(of: record, name))]),
        AuditAction.enroll, name, fleet)
    }
    if let grant {
      // Before, so that there is no right of which the audit does not tell.
      try await commit(StoreTransaction(operations: []), AuditAction.grant, name, fleet)
      try await grant.make(HostFacts(name: name, ownOS: known?.status?.os, record: record), fleet)
    }
    return code
  }

  private static func canBeKept(_ stored: StoredValue, _ name: String) -> Bool {
    do throws(FleetProblem) {
      return try HostRecord.decode(stored.value, of: name).problems.isEmpty
    } catch {
      return false
    }
  }

  private static func record(
    from old: HostRecord?, _ fleet: FleetCall
  ) throws(Failure) -> HostRecord {
    var record = old ?? HostRecord()
    let call = fleet.call
    let (groups, users) = (call.values(of: .group), call.values(of: .forUsers))
    if !groups.isEmpty { record.groups = try unique(groups, "group") }
    if !users.isEmpty { record.users = try unique(users, "user") }
    if let ring = call.value(of: .recordRing) { record.ring = try PolicyChange.ring(ring) }
    if let os = call.value(of: .os) { record.os = try plain(os, "operating system") }
    let labels = call.values(of: .label)
    if !labels.isEmpty { record.labels = [:] }
    for label in labels {
      let parts = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw .usage("\(label.debugDescription) is not a label; use one such as room=4")
      }
      record.labels[String(parts[0])] = String(parts[1])
    }
    guard record.groups.count + record.users.count <= HostRecord.layersMax else {
      throw Failure("a host has at most \(HostRecord.layersMax) groups and users together")
    }
    return record
  }

  private static func unique(_ names: [String], _ kind: String) throws(Failure) -> [String] {
    var found: [String] = []
    for name in names where !found.contains(name) { found.append(try plain(name, kind)) }
    return found
  }

  private static func plain(_ name: String, _ kind: String) throws(Failure) -> String {
    guard PlainName.isValid(name) else {
      throw Failure("\(name.debugDescription) can't be the name of a \(kind); \(PlainName.rule)")
    }
    return name
  }

  private static func bytes(
    of record: HostRecord, _ name: String
  ) throws(Failure) -> [UInt8] {
    do throws(FleetProblem) {
      return try record.bytes(of: name)
    } catch {
      throw Failure(error)
    }
  }

  /// Makes a change together with its audit.
  private static func commit(
    _ transaction: StoreTransaction, _ action: String, _ name: String, _ fleet: FleetCall
  ) async throws(Failure) {
    let reason = fleet.call.value(of: .recordReason) ?? ""
    let audit = AuditRecord(action, host: name, fleet.circumstances(reason: reason))
    var transaction = transaction
    do throws(FleetProblem) {
      transaction.operations.append(try audit.operation(unique: .random(in: 0 ... .max)))
    } catch {
      throw Failure(error)
    }
    let result: CommitResult
    do throws(StoreError) {
      result = try await fleet.store.commit(transaction)
    } catch {
      throw Failure(error)
    }
    if case .conflict = result {
      throw Failure("the record of \(name) was changed meanwhile; try again")
    }
  }

  /// The rights that a host is given, as far as they are known before anything is changed.
  private struct Grant {
    /// The common name of the host's certificate.
    let user: String
    let store: any StoreAdministration

    /// Nil if none are to be given.
    init?(to host: String, _ fleet: FleetCall) throws(Failure) {
      user = try plain(fleet.call.value(of: .certificateName) ?? host, "certificate's owner")
      guard fleet.has(.grant) else { return nil }
      store = try fleet.administration()
    }

    func make(_ host: HostFacts, _ fleet: FleetCall) async throws(Failure) {
      // An agent finds its operating system itself, and reads all its layers at once: it must be
      // able to read those of whichever it finds.
      var facts = host
      facts.ownOS = nil
      let systems = host.record.os == nil ? [FleetKey.policies(of: .os)] : []
      do throws(StoreError) {
        try await store.setAccess(
          ofUser: user, reading: FleetKey.readable(by: facts) + systems,
          writing: [.key(FleetKey.status(host.name).text)])
      } catch {
        throw Failure(error)
      }
      if !fleet.has(.json), !fleet.session.isQuiet {
        try fleet.session.print("\(user) may read the policies of \(host.name)")
      }
    }
  }

  private static func show(
    _ name: String, _ old: HostRecord?, _ new: HostRecord, _ fleet: FleetCall
  ) throws(Failure) {
    if fleet.has(.json) {
      return try fleet.print(json: [
        "host": .string(name), "changed": .boolean(old != new), "record": .dictionary(entries(new)),
      ])
    }
    if fleet.session.isQuiet { return }
    let difference = Difference(from: old.map(entries) ?? [:], to: entries(new))
    let style = fleet.session.style
    try fleet.session.print(style.bold(name) + (old == nil ? "  new" : ""))
    try fleet.session.print(difference)
    if difference.isEmpty { try fleet.session.print("nothing changes") }
  }

  private static func entries(_ record: HostRecord) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [
      "groups": .array(record.groups.map { .string($0) }),
      "users": .array(record.users.map { .string($0) }), "ring": .integer(record.ring),
      "labels": .dictionary(record.labels.mapValues { .string($0) }),
    ]
    entries["os"] = record.os.map { .string($0) }
    return entries
  }
}
