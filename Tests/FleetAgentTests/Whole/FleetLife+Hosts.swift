import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataTesting

@testable import FaultTesting
@testable import FleetCommand
@testable import StrataStorage

/// What happens to hosts, and what they must have.
extension FleetLife {
  func act(_ host: SimulatedHost) async throws {
    let end = SimulatedHost.End.allCases.randomElement(using: &random) ?? .death
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8:
      guard try await host.follow(&random) else { return }
      if random.oneIn(4) { try applyPart(host, end) } else { try apply(host) }
      if random.oneIn(2) { try await host.report() }
    case 8..<10: if !host.mustRead { try apply(host) }
    case 10: if !host.mustRead { try applyPart(host, end) }
    case 11..<13:
      note("\(host.name) ends by \(end)")
      host.restart(end, &random)
      // As an agent does that can't reach the store yet.
      try apply(host)
    case 13..<15: connect(host, isCut: !host.isCut)
    case 15..<18: try setByUser(host)
    default: try await host.report()
    }
  }

  func connect(_ host: SimulatedHost, isCut: Bool) {
    note("\(host.name) is \(isCut ? "cut off" : "connected")")
    host.isCut = isCut
    host.client.fail(with: isCut ? .unavailable("cut off") : nil)
  }

  private func setByUser(_ host: SimulatedHost) throws {
    let domain = Oracle.domains.randomElement(using: &random) ?? ""
    let key = Oracle.keys.randomElement(using: &random) ?? ""
    let value = unique()
    let store = host.userStore(domain)
    try store.set(.integer(value), forKey: key)
    guard store.synchronize() else { throw violation("\(store.issues)") }
    once[host.name, default: OnceRecord()].userSets(
      value, "\(domain) \(key)", isInterrupted: host.isInterrupted)
    note("ann sets \(domain) \(key) on \(host.name) to \(value)")
  }

  // -- Applying, and looking at what that did

  func apply(_ host: SimulatedHost) throws {
    let known = known(by: host)
    // Other ranges are read before anything is applied, except by an agent that starts.
    host.apply()
    note("\(host.name) applies revision \(host.agent.state.revision)")
    try checkOnce(host, known, isWhole: true)
    if host.agent.isInformed { try check(host, against: known) }
  }

  private func applyPart(_ host: SimulatedHost, _ end: SimulatedHost.End) throws {
    let known = known(by: host)
    host.applyPart(end, &random)
    note("\(host.name) applies; \(host.isInterrupted ? "\(end)" : "in time")")
    try checkOnce(host, known, isWhole: !host.isInterrupted)
  }

  /// What a host must have by what its agent knows.
  private func known(by host: SimulatedHost) -> Oracle {
    let state = host.agent.state
    let isInformed = host.agent.isInformed
    return Oracle(
      host: host.name, os: host.os, record: state.facts.record, now: host.now,
      slots: isInformed
        ? Dictionary(state.policies.map { ($0.name.text, Ledger.Slot($0)) }) { $1 } : [:])
  }

  private func checkOnce(_ host: SimulatedHost, _ oracle: Oracle, isWhole: Bool) throws {
    var (found, answers) = ([String: Int64](), [String: Oracle.Answer]())
    for domain in Oracle.domains {
      let values = host.userStore(domain).snapshot().values
      for key in Oracle.keys {
        if case .integer(let number) = values[key] { found["\(domain) \(key)"] = number }
        answers["\(domain) \(key)"] = oracle.answer("once", "ann", domain, key)
      }
    }
    let complaint = once[host.name, default: OnceRecord()].complaint(
      found, answers, isWhole: isWhole)
    if let complaint { throw violation("\(host.name): \(complaint)") }
  }

  func check(_ host: SimulatedHost, against oracle: Oracle) throws {
    let (found, expected) = (try host.managedFiles(), oracle.files)
    guard found == expected else {
      throw violation("\(host.name) has \(found) instead of \(expected)")
    }
    let problems = host.agent.problems.filter { $0.place != "user bob" }
    if !problems.isEmpty { throw violation("\(host.name): \(problems)") }
    if !host.disk.leftOvers.isEmpty { throw violation("\(host.name): \(host.disk.leftOvers)") }
    if host.agent.status.versions != oracle.versions {
      throw violation("\(host.name) says \(host.agent.status.versions), not \(oracle.versions)")
    }
  }

  /// Compares what an administrator is shown with what hosts have reported and should have.
  func checkStatuses(areCurrent: Bool = false) async throws {
    let state = FleetState(try await store.read(FleetState.ranges))
    if !state.problems.isEmpty { throw violation("\(state.problems)") }
    for known in state.hosts {
      guard let host = hosts.first(where: { $0.name == known.name }) else {
        throw violation("there is no host \(known.name)")
      }
      guard let status = known.status else { continue }
      let wanted = oracle(for: host).ours
      let late = wanted.filter { $0.value != status.versions[$0.key] }.keys.sorted()
      let shown = known.behind(state.policies).map(\.policy.text).sorted()
      if shown != late { throw violation("\(known.name) is shown behind \(shown), is \(late)") }
      if areCurrent && !shown.isEmpty { throw violation("\(known.name) is behind \(shown)") }
    }
    if areCurrent, state.hosts.filter({ $0.status != nil }).count != hosts.count {
      throw violation("not all hosts are shown")
    }
  }
}

extension SimulatedHost {
  /// What is in the administrator's files, with what it comes from.
  func managedFiles() throws -> [String: [String: Oracle.Answer]] {
    var files: [String: [String: Oracle.Answer]] = [:]
    for (path, bytes) in disk.files where path.hasSuffix(".plist") {
      let values = try PropertyList.decode(bytes).value.dictionaryValue ?? [:]
      let provenance = try Provenance.read(besidePlist: path, on: disk.machine.disk)
      let name = String(path.dropFirst(FaultHost.system.count + 1).dropLast(".plist".count))
      for (key, value) in values {
        guard case .integer(let number) = value else { continue }
        let why = provenance?.entry(forKey: key, value: value)
        files[name, default: [:]][key] = Oracle.Answer(
          value: number, slot: why?.policy ?? "", version: why?.version ?? 0)
      }
    }
    return files
  }
}
