import DefaultsCommand
import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import Testing

@testable import FleetCommand

/// A store that was restored from a backup, while hosts have versions that came later.
struct RestoredStoreTests {
  private static let app = "all/com.example.app"
  private let fixture: FleetFixture

  init() throws { fixture = try FleetFixture() }

  private func publish(_ size: Int64, _ options: String...) async throws -> FleetFixture.Outcome {
    let file = try fixture.write("\(Self.app).plist", ["forced": ["FontSize": .integer(size)]])
    return await fixture.run(
      ["publish", file, "--reason", "size \(size)"] + options, fixture.console())
  }

  /// Brings a host to what the store says.
  private func apply() async throws {
    let directory = fixture.directory
    let settings = AgentSettings(
      host: "web1", os: "debian", version: "test", stateDirectory: directory + "/state",
      surroundings: ProcessSurroundings(
        environment: ["STRATA_SYSTEM_DIRECTORY": directory + "/system", "HOME": directory],
        userID: fixture.surroundings.userID, user: .known(fixture.surroundings.user),
        isSetUID: false, host: HostIdentifier(of: "web1"), executableName: "agent"),
      users: { [] }, findUser: { _ in nil },
      now: { PropertyListDate(secondsSinceReference: 1_600_000_000 - 978_307_200) })
    try await AgentService(settings, fixture.store) { _ in }.runOnce()
  }

  private func reported() async throws -> HostStatus {
    let key = FleetKey.status("web1").text
    let value = try #require(try await fixture.store.values.first { $0.key == key })
    return try HostStatus.decode(value.value, of: "web1")
  }

  /// The store loses what came after these values; the hosts report what they have.
  private func restore(_ backup: [StoredValue]) async throws {
    for value in try await fixture.store.values { await fixture.store.delete(value.key) }
    for value in backup { try await fixture.store.put(value.key, value.value) }
    try await apply()
  }

  /// - Returns: what the store had after the first version.
  private func publish(to last: Int64, canary: [String] = []) async throws -> [StoredValue] {
    #expect(try await publish(1).code == .success)
    try await apply()
    let backup = try await fixture.store.values
    for size in 2..<last { #expect(try await publish(size).code == .success) }
    let file = try fixture.write("\(Self.app).plist", ["forced": ["FontSize": .integer(last)]])
    let outcome = await fixture.run(
      ["publish", file, "--reason", "last"] + canary, fixture.console())
    #expect(outcome.code == .success, "\(outcome)")
    try await apply()
    return backup
  }

  // M-8, M-12
  @Test func `what is published next reaches hosts that have a later version`() async throws {
    let backup = try await publish(to: 5)
    try await restore(backup)
    #expect(try await reported().versions == [Self.app: 5])
    #expect(try await reported().problems.first?.contains("--renew") == true)
    let status = await fixture.run("status")
    #expect(status.output.contains("has version 5, which the store does not know of"), "\(status)")
    let outcome = try await publish(7)
    #expect(outcome.code == .success && outcome.output.contains("→ version 6"), "\(outcome)")
    #expect(outcome.errors.contains("web1 reports version 5"), "\(outcome)")
    #expect(outcome.errors.contains("no later one than 1") && !outcome.errors.contains("--renew"))
    try await apply()
    #expect(try await reported().versions == [Self.app: 6])
    #expect(try await reported().problems == [])
    #expect(try await publish(8).errors == "")
  }

  // M-8, M-12
  @Test func `what the store has is published again only where hosts are ahead`() async throws {
    let backup = try await publish(to: 5)
    #expect(try await publish(5, "--renew").output == "nothing changes\n")
    try await restore(backup)
    let same = try await publish(1)
    #expect(same.output == "nothing changes\n" && same.errors.contains("--renew"), "\(same)")
    let renewed = try await publish(1, "--renew")
    #expect(renewed.output.contains("version 1 → version 6 on all hosts"), "\(renewed)")
    try await apply()
    #expect(try await reported().versions == [Self.app: 6])
    #expect(try await publish(1, "--renew").output == "nothing changes\n")
    let canary = try await publish(2, "--renew", "--canary", "5%")
    #expect(canary.code == .usage && canary.errors.contains("for all hosts"), "\(canary)")
  }

  // M-8, M-12
  @Test func `a policy that the store has lost altogether goes on after what hosts have`()
    async throws
  {
    _ = try await publish(to: 3)
    try await restore([])
    let outcome = try await publish(3)
    #expect(outcome.output.contains("new → version 4 on all hosts"), "\(outcome)")
    #expect(outcome.errors.contains("the store has had none"), "\(outcome)")
    try await apply()
    #expect(try await reported().versions == [Self.app: 4])
  }

  // M-8, M-9
  @Test func `a candidate beside a lost version is warned of, and what there was can be renewed`()
    async throws
  {
    let backup = try await publish(to: 5)
    try await restore(backup)
    let canary = try await publish(7, "--canary", "100%", "--quiet")
    #expect(canary.code == .success, "\(canary)")
    #expect(canary.errors.contains("web1 reports version 5"), "\(canary)")
    try await apply()
    #expect(try await reported().versions == [Self.app: 5])
    let back = await fixture.run("rollback", Self.app, "--reason", "it reaches nobody")
    #expect(back.code == .success, "\(back)")
    // The last number that the store knows is higher than the host's by now.
    let renewed = try await publish(1, "--renew")
    #expect(renewed.output.contains("version 1 → version 7 on all hosts"), "\(renewed)")
    try await apply()
    #expect(try await reported().versions == [Self.app: 7])
    #expect(try await publish(1, "--renew").output == "nothing changes\n")
  }

  // M-7, M-8
  @Test func `renewing says that values for once are set again`() async throws {
    let file = try fixture.write(
      "\(Self.app).plist", ["forced": ["FontSize": 1], "once": ["Seen": true]])
    await fixture.succeed("publish", file, "--reason", "first")
    try await apply()
    let backup = try await fixture.store.values
    #expect(try await publish(2).code == .success)
    try await apply()
    try await restore(backup)
    let renewed = try fixture.write(
      "\(Self.app).plist", ["forced": ["FontSize": 1], "once": ["Seen": true]])
    let outcome = await fixture.run("publish", renewed, "--reason", "again", "--renew")
    #expect(outcome.code == .success && outcome.errors.contains("set again"), "\(outcome)")
  }

  // M-8
  @Test func `a first version with a later number can be rolled back to nothing`() async throws {
    _ = try await publish(to: 3)
    try await restore([])
    #expect(try await publish(3).output.contains("new → version 4"))
    let back = await fixture.run("rollback", Self.app, "--reason", "not wanted")
    #expect(back.code == .success, "\(back)")
    #expect(try await fixture.policy(Self.app)?.stable?.content.entries.isEmpty == true)
  }

  // M-8, M-9
  @Test func `a candidate that only other hosts had counts, too`() async throws {
    let backup = try await publish(to: 3, canary: ["--ring", "0"])
    try await fixture.host("web1", HostRecord(ring: 9))
    try await apply()
    #expect(try await reported().versions == [Self.app: 2])
    #expect(try await reported().lastNumbers == [Self.app: 3])
    try await restore(backup)
    #expect(try await publish(1, "--renew").output.contains("→ version 4"))
    try await apply()
    #expect(try await reported().versions == [Self.app: 4])
  }

  // M-8, M-12
  @Test func `a host that reports what can't be true uses up no numbers`() async throws {
    _ = try await publish(to: 3)
    try await fixture.host("web2", versions: [Self.app: .max])
    let outcome = try await publish(4)
    #expect(outcome.output.contains("version 3 → version 4"), "\(outcome)")
    #expect(outcome.errors.contains("web2 reports version \(Int64.max)"), "\(outcome)")
    #expect(outcome.errors.contains("look at the host"), "\(outcome)")
    // Beside one that can be true, each is named for what it is.
    try await fixture.host("web3", versions: [Self.app: 9])
    let both = try await publish(5)
    #expect(both.output.contains("version 4 → version 10"), "\(both)")
    #expect(both.errors.contains("web3 reports version 9, "), "\(both)")
    #expect(both.errors.contains("web2 reports version \(Int64.max)"), "\(both)")
    #expect(await fixture.run("status").output.contains("web3") == true)
    #expect(await fixture.run("status").output.contains("\(Int64.max), which") == false)
    // A host for which the policy is not says nothing of it.
    try await fixture.host("web2", versions: ["group:x/com.example.app": 9])
    let file = try fixture.write("group:x/com.example.app.plist", ["forced": ["FontSize": 1]])
    let other = await fixture.succeed("publish", file, "--reason", "first")
    #expect(other.contains("new → version 1"), "\(other)")
  }

  // M-8
  @Test func `a policy that is older than its own history goes on after that`() async throws {
    let backup = try await publish(to: 3)
    let old = try #require(backup.first { FleetKey.allPolicies.contains($0.key) })
    try await fixture.store.put(old.key, old.value)
    await fixture.store.delete(FleetKey.status("web1").text)
    let outcome = try await publish(4, "--quiet")
    #expect(outcome.code == .success, "\(outcome)")
    #expect(try await fixture.policy(Self.app)?.stable?.number == 4)
  }

  // M-12
  @Test func `a history whose number can't be is no reason to end`() async throws {
    let key = "/cfg/v1/hist/\(Self.app)/\(Int64.max)"
    try await fixture.store.put(key, [1, 2, 3])
    #expect(try await publish(1).code == .success)
    #expect(try await fixture.policy(Self.app)?.stable?.number == 1)
  }
}
