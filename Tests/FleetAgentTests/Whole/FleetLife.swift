import FleetModel
import RevisionedStore
import StrataTesting

/// A random life of administrators, hosts and the store between them.
final class FleetLife {
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  static let hostNames = ["h1", "h2", "h3"]
  static let layers =
    ["all", "os:debian", "os:fedora", "group:g1", "group:g2", "group:g3"]
    + hostNames.map { "host:\($0)" } + ["user:ann", "user:bob"]

  let seed: UInt64
  var random: SeededGenerator
  let store = InMemoryStore()
  let time = Guarded(0.0)
  var ledger = Ledger()
  /// What an administrator has read a while ago.
  var stale: (publication: Publication, ledger: Ledger)?
  private(set) var hosts: [SimulatedHost] = []
  var once: [String: OnceRecord] = [:]
  private var number: Int64 = 0
  /// What was done, for who looks for the cause of a violation.
  private(set) var log: [String] = []

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    for name in Self.hostNames {
      let skew = Double(Int.random(in: -3...3, using: &random))
      hosts.append(
        SimulatedHost(
          name, os: random.oneIn(2) ? "debian" : "fedora", skew: skew, store.otherClient(), time))
    }
  }

  /// A number that nothing else in this life has.
  func unique() -> Int64 {
    number += 1
    return number
  }

  func note(_ text: String) { log.append(text) }

  func violation(_ text: String) -> Violation {
    Violation(
      description: "seed \(seed): \(text)\nafter:\n\(log.suffix(25).joined(separator: "\n"))")
  }

  func run(steps: Int) async throws {
    for step in 0..<steps {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<3: try await edit()
      case 3: try await enroll()
      case 4: try await compactOrWait()
      default:
        let host = hosts[Int.random(in: 0..<hosts.count, using: &random)]
        try await act(host)
      }
      if step.isMultiple(of: 8) { try await checkStatuses() }
    }
    try await settle()
  }

  private func compactOrWait() async throws {
    time.withLock { $0 += Double(Int.random(in: 0...4, using: &random)) }
    guard random.oneIn(2) else { return }
    store.compact(to: try await store.read([FleetKey.allPolicies]).revision)
    note("the history is compacted")
  }

  /// Connects all hosts, and looks whether each has what administrators have said.
  private func settle() async throws {
    note("all are connected")
    for host in hosts {
      connect(host, isCut: false)
      let end = try await store.read([FleetKey.allPolicies]).revision
      var rounds = 0
      while try await !host.follow(&random) || (host.position ?? 0) < end {
        rounds += 1
        if rounds > 1_000 { throw violation("\(host.name) does not catch up") }
      }
      try apply(host)
      try check(host, against: oracle(for: host))
      try await host.report()
    }
    try await checkStatuses(areCurrent: true)
  }

  /// What a host must have by the ledger.
  func oracle(for host: SimulatedHost) -> Oracle {
    Oracle(
      host: host.name, os: host.os, record: ledger.records[host.name] ?? HostRecord(),
      now: host.now, slots: ledger.slots)
  }
}
