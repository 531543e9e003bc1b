import FleetModel
import StrataPropertyList
import Testing

/// Roll-outs.
struct RolloutTests {
  private func hosts(_ count: Int) -> [HostFacts] { (0..<count).map { HostFacts(name: "h\($0)") } }

  // M-9
  @Test func `about the given share of hosts has a candidate, and a larger share keeps them`()
    throws
  {
    let name = try PolicyFixture.name("all")
    let hosts = hosts(10_000)
    var before: Set<String> = []
    for share in [0, 500, 2_000, 10_000] {
      let have = Set(hosts.filter { Rollout.share(share).includes($0, 3, of: name) }.map(\.name))
      #expect(abs(have.count - share) < 200)
      #expect(before.isSubset(of: have))
      before = have
    }
    #expect(before.count == hosts.count)
  }

  // M-9
  @Test func `which hosts come first differs between versions and policies`() throws {
    let (one, other) = (try PolicyFixture.name("all"), try PolicyFixture.name("all", "other"))
    func first(_ version: Int64, _ name: PolicyName) -> [String] {
      hosts(1_000).filter { Rollout.share(500).includes($0, version, of: name) }.map(\.name)
    }
    #expect(first(1, one) != first(2, one))
    #expect(first(1, one) != first(1, other))
  }

  // M-9
  @Test func `a ring has the hosts of the rings below it`() throws {
    let name = try PolicyFixture.name("all")
    let early = HostFacts(name: "a", record: HostRecord(ring: 1))
    #expect(Rollout.ring(1).includes(early, 1, of: name))
    #expect(Rollout.ring(2).includes(early, 1, of: name))
    #expect(!Rollout.ring(0).includes(early, 1, of: name))
    #expect(!Rollout.ring(8).includes(HostFacts(name: "b"), 1, of: name))
  }

  // M-9
  @Test func `a host outside the roll-out has the stable version`() throws {
    var policy = try PolicyFixture.policy("all", ["Theme": PolicyEntry("old")])
    let next = PolicyFixture.version(2, PolicyContent(entries: ["Theme": PolicyEntry("new")]))
    policy.lastNumber = 2
    policy.candidate = Policy.Candidate(next, .ring(0))
    #expect(policy.version(on: HostFacts(name: "a", record: HostRecord(ring: 0)))?.number == 2)
    #expect(policy.version(on: HostFacts(name: "b"))?.number == 1)
  }
}
