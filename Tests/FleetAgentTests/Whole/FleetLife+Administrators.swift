import FleetModel
import RevisionedStore
import StrataPropertyList
import StrataTesting

/// What administrators do.
extension FleetLife {
  /// One edit: what the model is asked to do, and what the ledger says of it.
  private struct Attempt {
    var edits: [(name: PolicyName, edit: Edit)] = []
    /// By slot; only those that change.
    var after: [String: Ledger.Slot] = [:]
    var isRefused = false
  }

  /// Edits one or two policies, sometimes after having read them a while ago.
  func edit() async throws {
    let present = Publication(try await store.read([FleetKey.allPolicies]))
    let (publication, known) =
      random.oneIn(5) ? stale ?? (present, ledger) : (present, ledger)
    if random.oneIn(5) { stale = (present, ledger) }
    let attempt = try await attempt(known)
    let merged = known.slots.merging(attempt.after) { $1 }
    let isClash = Ledger.clash(merged, changed: Set(attempt.after.keys))
    let circumstances = Edit.Circumstances(
      author: "ann", reason: "a test",
      time: PropertyListDate(secondsSinceReference: time.withLock { $0 }))
    let changes: [Publication.Change]
    do throws(FleetProblem) {
      changes = try publication.changes(by: attempt.edits, circumstances)
    } catch {
      note("refused: \(error)")
      if !attempt.isRefused && !isClash { throw violation("refused: \(error)") }
      return
    }
    if attempt.isRefused || isClash { throw violation("not refused: \(attempt.edits)") }
    if Set(changes.map(\.name.text)) != Set(attempt.after.keys) {
      throw violation("\(attempt.edits) change \(changes.map(\.name.text))")
    }
    if changes.isEmpty { return }
    let transaction = try publication.transaction(
      for: changes, "edit", circumstances, unique: UInt64(unique()))
    try await commit(transaction, attempt.after, known)
  }

  private func commit(
    _ transaction: StoreTransaction, _ after: [String: Ledger.Slot], _ known: Ledger
  ) async throws {
    let others = Set(known.slots.keys).union(ledger.slots.keys).filter {
      known.slots[$0] != ledger.slots[$0]
    }
    let isGroup = { (slot: String) in slot.hasPrefix("group:") }
    let isLate =
      !others.isDisjoint(with: after.keys)
      || after.keys.contains(where: isGroup) && others.contains(where: isGroup)
    switch try await store.commit(transaction) {
    case .committed:
      if isLate { throw violation("an edit of what others had changed was made") }
      ledger.slots.merge(after) { $1 }
      for (slot, after) in after.sorted(by: { $0.key < $1.key }) { note("\(slot): \(after)") }
    case .conflict:
      if !isLate { throw violation("a conflict with nobody") }
      note("conflict")
    }
  }

  private func attempt(_ known: Ledger) async throws -> Attempt {
    var attempt = Attempt()
    for _ in 0..<(random.oneIn(4) ? 2 : 1) {
      let layer = Self.layers.randomElement(using: &random) ?? "all"
      let domain = Oracle.domains.randomElement(using: &random) ?? ""
      let slot = "\(layer)/\(domain)"
      let name = try PolicyName.sample(layer, domain)
      if attempt.edits.contains(where: { $0.name == name }) { continue }
      let (edit, after) = await randomEdit(known.slots[slot], name)
      attempt.edits.append((name, edit))
      switch after {
      case .success(let after): attempt.after[slot] = after
      case .failure: attempt.isRefused = true
      }
    }
    return attempt
  }

  private func randomEdit(
    _ old: Ledger.Slot?, _ name: PolicyName
  ) async -> (Edit, Result<Ledger.Slot?, Ledger.Refusal>) {
    let reach = randomReach()
    let choice = Int.random(in: 0..<10, using: &random)
    if choice == 0, let earlier = old?.history.randomElement(using: &random) {
      let version = await history(name, earlier)
      return (
        .rollback(to: version),
        Result { () throws(Ledger.Refusal) in try Ledger.rollback(earlier, old) }
      )
    }
    switch choice {
    case 1, 2:
      return (
        .promote(to: reach),
        Result { () throws(Ledger.Refusal) in try Ledger.promote(reach, old) }
      )
    case 3:
      return (
        .rollback(to: nil), Result { () throws(Ledger.Refusal) in try Ledger.rollback(nil, old) }
      )
    default:
      let version = randomVersion(old, isForUser: name.layer.kind == .user)
      return (.publish(version.content, to: reach), .success(Ledger.publish(version, reach, old)))
    }
  }

  /// The version as the store's history has it; nil, which shows, if that is another one.
  private func history(_ name: PolicyName, _ earlier: Ledger.Version) async -> Policy.Version? {
    let key = FleetKey.history(name, version: earlier.number).text
    do {
      let value = try await store.read([.key(key)]).values.first?.value ?? []
      let version = try Policy.Version.decode(value, key: key, of: name).version
      return Ledger.Version(version) == earlier ? version : nil
    } catch {
      note("\(error)")
      return nil
    }
  }

  private func randomReach() -> Rollout? {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .share(Int.random(in: 0...Rollout.shareMax, using: &random))
    case 1: .ring(Int64.random(in: 0...3, using: &random))
    default: nil
    }
  }

  private func randomVersion(_ old: Ledger.Slot?, isForUser: Bool) -> Ledger.Version {
    let same = [old?.stable, old?.trial].compactMap { $0 }
    if random.oneIn(5), let version = same.randomElement(using: &random) { return version }
    let priority = random.oneIn(3) ? 0 : unique()
    var version = Ledger.Version(number: 0, priority: priority, items: [:])
    if random.oneIn(8) { return version }
    let now = time.withLock { $0 }
    for key in Oracle.keys where random.oneIn(2) {
      let levels = PolicyEntry.Level.allCases.filter { !isForUser || $0 != .recommended }
      let level = levels.randomElement(using: &random) ?? .forced
      version.items[key] = Ledger.Item(
        value: unique(), level: level.rawValue, isEnforced: random.oneIn(4),
        until: random.oneIn(3) ? now + Double(Int.random(in: -5...30, using: &random)) : nil)
    }
    return version
  }

  /// Changes the record of a host.
  func enroll() async throws {
    let host = Self.hostNames.randomElement(using: &random) ?? ""
    let record = HostRecord(
      groups: ["g1", "g2", "g3"].filter { _ in random.oneIn(2) },
      users: ["ann", "bob"].filter { _ in random.oneIn(2) },
      ring: Int64.random(in: 0...4, using: &random), os: random.oneIn(3) ? "fedora" : nil)
    _ = try await store.commit(
      StoreTransaction(operations: [
        .put(key: FleetKey.host(host).text, value: try record.bytes(of: host))
      ]))
    ledger.records[host] = record
    note("\(host) is \(record)")
  }
}
