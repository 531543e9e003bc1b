import FleetModel
import StrataDomains
import StrataPropertyList
import Testing

/// Effective values of a host.
struct EvaluationTests {
  private let host = HostFacts(
    name: "web1", ownOS: "debian", record: HostRecord(groups: ["build", "test"], users: ["ann"]))

  private func value(
    _ policies: [Policy], _ level: PolicyEntry.Level = .forced, user: String? = nil,
    at now: Double = 0
  ) -> PropertyListValue? {
    Evaluation(policies, on: host, at: PolicyFixture.date(now))
      .values(level, for: user)["com.example.app"]?["Theme"]?.entry.value
  }

  // M-6
  @Test func `the layers all, os, group, host and user have ascending precedence`() throws {
    var policies: [Policy] = []
    for layer in ["all", "os:debian", "group:build", "host:web1"] {
      policies.append(try PolicyFixture.policy(layer, ["Theme": PolicyEntry(.string(layer))]))
      #expect(value(policies) == .string(layer))
      #expect(value(policies.reversed()) == .string(layer))
    }
    policies.append(try PolicyFixture.policy("user:ann", ["Theme": PolicyEntry("hers")]))
    #expect(value(policies) == "host:web1")
    #expect(value(policies, user: "ann") == "hers")
    #expect(value(policies, user: "bob") == "host:web1")
  }

  // M-6
  @Test func `policies of other systems, groups, hosts and users do not count`() throws {
    let policies = try ["os:fedora", "group:other", "host:web2", "user:bob"].map {
      try PolicyFixture.policy($0, ["Theme": "x"].mapValues { PolicyEntry($0) })
    }
    #expect(value(policies) == nil)
    #expect(value(policies, user: "ann") == nil)
  }

  // M-6
  @Test func `an enforced value has priority over higher layers, the lowest layer's first`() throws
  {
    let all = try PolicyFixture.policy("all", ["Theme": PolicyEntry("all", isEnforced: true)])
    let os = try PolicyFixture.policy("os:debian", ["Theme": PolicyEntry("os", isEnforced: true)])
    let host = try PolicyFixture.policy("host:web1", ["Theme": PolicyEntry("host")])
    let user = try PolicyFixture.policy("user:ann", ["Theme": PolicyEntry("user")])
    #expect(value([host, os, user], user: "ann") == "os")
    #expect(value([host, os, all]) == "all")
  }

  // M-6
  @Test func `of two groups, the one with the higher priority counts`() throws {
    let build = try PolicyFixture.policy(
      "group:build", priority: 1, ["Theme": PolicyEntry("build")])
    let test = try PolicyFixture.policy("group:test", priority: 2, ["Theme": PolicyEntry("test")])
    #expect(value([build, test]) == "test")
    #expect(value([test, build]) == "test")
  }

  // M-6
  @Test func `equal priorities of groups with the same key conflict, and only those`() throws {
    func problems(_ first: Policy, _ second: Policy) -> Int {
      Conflicts.problems(among: [first, second]).count
    }
    let entries = ["Theme": PolicyEntry("x")]
    let build = try PolicyFixture.policy("group:build", entries)
    #expect(problems(build, try PolicyFixture.policy("group:test", entries)) == 1)
    #expect(problems(build, try PolicyFixture.policy("group:test", priority: 1, entries)) == 0)
    #expect(
      problems(build, try PolicyFixture.policy("group:test", ["Other": PolicyEntry("x")])) == 0)
    #expect(problems(build, try PolicyFixture.policy("group:test", domain: "other", entries)) == 0)
    #expect(problems(build, try PolicyFixture.policy("host:web1", entries)) == 0)
  }

  // M-7
  @Test func `a value ends at its time, and then the next one counts`() throws {
    let all = try PolicyFixture.policy("all", ["Theme": PolicyEntry("light")])
    let host = try PolicyFixture.policy(
      "host:web1", ["Theme": PolicyEntry("dark", until: PolicyFixture.date(100))])
    #expect(value([all, host], at: 99.9) == "dark")
    #expect(value([all, host], at: 100) == "light")
    let evaluation = Evaluation([all, host], on: self.host, at: PolicyFixture.date(5))
    #expect(evaluation.nextEnd == PolicyFixture.date(100))
  }

  // M-7
  @Test func `levels are decided by themselves`() throws {
    let all = try PolicyFixture.policy("all", ["Theme": PolicyEntry("advice", .recommended)])
    let host = try PolicyFixture.policy("host:web1", ["Theme": PolicyEntry("rule")])
    let user = try PolicyFixture.policy("user:ann", ["Theme": PolicyEntry("start", .once)])
    #expect(value([all, host, user]) == "rule")
    #expect(value([all, host, user], .recommended) == "advice")
    #expect(value([all, host, user], .once, user: "ann") == "start")
  }

  // M-7
  @Test func `a value carries its policy, version, author and reason, and what it overrode`() throws
  {
    let all = try PolicyFixture.policy("all", ["Theme": PolicyEntry("light")], number: 4)
    let host = try PolicyFixture.policy("host:web1", ["Theme": PolicyEntry("dark")], number: 7)
    let found = try #require(
      Evaluation([all, host], on: self.host, at: PolicyFixture.date(0))
        .values(.forced)["com.example.app"]?["Theme"])
    #expect(found.policy == host.name)
    #expect(found.version.number == 7)
    #expect(found.version.author == "ann")
    #expect(
      found.overrode == [Evaluation.Overridden(policy: all.name, version: 4, value: "light")])
  }
}
