import FleetModel
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// Random policies, evaluated by the model and by an oracle that goes another way: it walks all
/// layers for each key, and keeps the best claim so far by a rank that it computes.
struct RandomEvaluationTests {
  private static let keys = ["a", "b", "c"]
  private static let users = ["ann", "bob"]
  private static let layers = [
    "all", "os:debian", "os:fedora", "group:g1", "group:g2", "group:g3", "host:h1", "host:h2",
    "user:ann", "user:bob",
  ]

  private struct Fleet {
    var policies: [Policy] = []
    var host: HostFacts
    var now: Double
  }

  private func fleet(_ random: inout SeededGenerator) throws -> Fleet {
    let record = HostRecord(
      groups: ["g1", "g2", "g3"].filter { _ in random.oneIn(2) },
      users: Self.users.filter { _ in random.oneIn(2) },
      ring: Int64.random(in: 0...3, using: &random), os: random.oneIn(3) ? "fedora" : nil)
    var fleet = Fleet(
      host: HostFacts(name: random.oneIn(2) ? "h1" : "h2", ownOS: "debian", record: record),
      now: Double(Int.random(in: 0...4, using: &random)))
    for layer in Self.layers where random.oneIn(2) {
      fleet.policies.append(try policy(layer, &random))
    }
    return fleet
  }

  private func policy(_ layer: String, _ random: inout SeededGenerator) throws -> Policy {
    var policy = Policy(try PolicyFixture.name(layer), lastNumber: 2)
    if !random.oneIn(4) { policy.stable = PolicyFixture.version(1, content(layer, &random)) }
    if random.oneIn(3) {
      let rollout: Rollout =
        random.oneIn(2)
        ? .ring(Int64.random(in: 0...3, using: &random))
        : .share(Int.random(in: 0...Rollout.shareMax, using: &random))
      policy.candidate = Policy.Candidate(
        PolicyFixture.version(2, content(layer, &random)), rollout)
    }
    return policy
  }

  private func content(_ layer: String, _ random: inout SeededGenerator) -> PolicyContent {
    var content = PolicyContent(priority: Int64.random(in: -1...1, using: &random))
    for key in Self.keys where random.oneIn(2) {
      content.entries[key] = PolicyEntry(
        .integer(Int64.random(in: 0...999, using: &random)),
        PolicyEntry.Level.allCases.randomElement(using: &random) ?? .forced,
        isEnforced: random.oneIn(3),
        until: random.oneIn(3)
          ? PolicyFixture.date(Double(Int.random(in: 0...4, using: &random))) : nil)
    }
    return content
  }

  // -- The oracle

  private func oracle(
    _ fleet: Fleet, _ level: PolicyEntry.Level, _ user: String?, _ key: String
  ) -> PropertyListValue? {
    let kinds = ["all", "os", "group", "host", "user"]
    let os = fleet.host.record.os ?? fleet.host.ownOS ?? ""
    var best: (rank: [Int], value: PropertyListValue)?
    for policy in fleet.policies {
      let parts = policy.name.layer.text.split(separator: ":").map(String.init)
      let isOurs =
        switch parts[0] {
        case "all": true
        case "os": parts[1] == os
        case "group": fleet.host.record.groups.contains(parts[1])
        case "host": parts[1] == fleet.host.name
        default: parts[1] == user && fleet.host.record.users.contains(parts[1])
        }
      guard isOurs, let kind = kinds.firstIndex(of: parts[0]) else { continue }
      var version = policy.stable
      if let candidate = policy.candidate {
        let position = Rollout.position(
          of: fleet.host.name, candidate.version.number, policy.name)
        switch candidate.rollout {
        case .share(let share): if position < share { version = candidate.version }
        case .ring(let ring): if fleet.host.record.ring <= ring { version = candidate.version }
        }
      }
      guard let content = version?.content, let entry = content.entries[key] else { continue }
      if entry.level != level || (entry.until?.secondsSinceReference ?? 9) <= fleet.now { continue }
      let name = Self.layers.firstIndex(of: policy.name.layer.text) ?? 0
      let rank = [
        entry.isEnforced ? 1 : 0, entry.isEnforced ? -kind : kind, Int(content.priority), -name,
      ]
      if best.map({ $0.rank.lexicographicallyPrecedes(rank) }) ?? true {
        best = (rank, entry.value)
      }
    }
    return best?.value
  }

  // M-6 M-7 M-9
  @Test func `all hosts have what a slow oracle says`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<repetitions("STRATA_FLEETS", else: 4_200) {
      let fleet = try fleet(&random)
      let evaluation = Evaluation(
        fleet.policies, on: fleet.host, at: PolicyFixture.date(fleet.now))
      for level in PolicyEntry.Level.allCases {
        for user in [nil] + Self.users.map(Optional.some) {
          let values = evaluation.values(level, for: user)["com.example.app"] ?? [:]
          for key in Self.keys {
            let expected = oracle(fleet, level, user, key)
            try #require(
              values[key]?.entry.value == expected, "seed \(seed), round \(round), \(key) \(level)")
          }
        }
      }
    }
  }

  // M-6
  @Test func `what does not conflict has one winner, whatever the order of the policies`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<1_000 {
      let fleet = try fleet(&random)
      let date = PolicyFixture.date(fleet.now)
      let first = Evaluation(fleet.policies, on: fleet.host, at: date)
      let second = Evaluation(fleet.policies.shuffled(using: &random), on: fleet.host, at: date)
      try #require(
        first.values(.forced, for: "ann") == second.values(.forced, for: "ann"),
        "seed \(seed), round \(round)")
    }
  }

  // M-6
  @Test func `an equal priority is refused exactly if the oracle finds a pair`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<2_000 {
      let policies = try fleet(&random).policies
      let groups = policies.filter { $0.name.layer.kind == .group }
      var hasPair = false
      for one in groups {
        for other in groups where one.name != other.name {
          for left in [one.stable, one.candidate?.version].compactMap({ $0?.content }) {
            for right in [other.stable, other.candidate?.version].compactMap({ $0?.content }) {
              for key in Self.keys where left.priority == right.priority {
                guard let a = left.entries[key], let b = right.entries[key] else { continue }
                if a.level == b.level, a.isEnforced == b.isEnforced { hasPair = true }
              }
            }
          }
        }
      }
      try #require(
        Conflicts.problems(among: policies).isEmpty == !hasPair, "seed \(seed), round \(round)")
    }
  }
}
