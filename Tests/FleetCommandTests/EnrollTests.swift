import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Enrolling hosts.
struct EnrollTests {
  private func record(_ host: String, _ fixture: FleetFixture) async throws -> HostRecord? {
    let value = try await fixture.store.values.first { $0.key == "/cfg/v1/host/\(host)" }
    return try value.map { try HostRecord.decode($0.value, of: host).record }
  }

  @Test func `M-8: enrolling writes the record, and again changes nothing`() async throws {
    let fixture = try FleetFixture()
    let arguments = [
      "enroll", "web1", "--group", "build", "--group", "web", "--for-user", "bea", "--ring", "1",
      "--os", "debian", "--label", "room=4", "--detailed-exitcode",
    ]
    #expect(await fixture.run(arguments + ["--dry-run"], fixture.console()).code == .changed)
    #expect(try await record("web1", fixture) == nil)
    #expect(await fixture.run(arguments, fixture.console()).code == .changed)
    let expected = HostRecord(
      groups: ["build", "web"], users: ["bea"], labels: ["room": "4"], ring: 1, os: "debian")
    #expect(try await record("web1", fixture) == expected)
    #expect(await fixture.run(arguments, fixture.console()).code == .success)
    #expect(await fixture.store.commits == 1)
    await fixture.succeed("enroll", "web1", "--ring", "2")
    #expect(try await record("web1", fixture)?.groups == ["build", "web"])
    await fixture.succeed("enroll", "web1", "--replace", "--ring", "2")
    #expect(try await record("web1", fixture) == HostRecord(ring: 2))
  }

  @Test(arguments: ["groups", "users", "labels", "ring", "os", "colour", ""])
  func `M-8: a record of which a part can't be read is changed only as a whole`(
    entry: String
  ) async throws {
    let fixture = try FleetFixture()
    let old = HostRecord(groups: ["build"], users: ["bea"], labels: ["a": "b"], ring: 1, os: "x")
    var bytes = try old.bytes(of: "web1")
    guard case .dictionary(var entries) = try PropertyList.decode(bytes).value else { return }
    entries[entry] = .data([7])
    bytes = entry.isEmpty ? [1, 2, 3] : try PropertyList.encode(.dictionary(entries), as: .binary)
    try await fixture.store.put("/cfg/v1/host/web1", bytes)
    for options in [["--ring", "3"], ["--grant"], ["--ring", "3", "--dry-run"]] {
      let outcome = await fixture.run(["enroll", "web1"] + options, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains("--replace"), "\(outcome)")
    }
    #expect(try await fixture.store.values.map(\.value) == [bytes])
    #expect(await fixture.store.access.isEmpty)
    // Also where it says what can be read of it.
    let parts = ["--group", "build", "--for-user", "bea", "--label", "a=b", "--ring", "1"]
    let outcome = await fixture.run(
      ["enroll", "web1", "--replace", "--os", "x"] + parts, fixture.console())
    #expect(outcome.code == .success, "\(outcome)")
    let now = try await fixture.store.values.first { $0.key == "/cfg/v1/host/web1" }
    #expect(try now?.value == old.bytes(of: "web1"))
  }

  @Test func `M-8: the audit says who changed a record or granted rights`() async throws {
    let fixture = try FleetFixture()
    await fixture.succeed("enroll", "web1", "--ring", "1", "--reason", "new", "--author", "bea")
    await fixture.succeed("enroll", "web1", "--ring", "1")
    await fixture.succeed("enroll", "web2", "--ring", "1", "--dry-run")
    await fixture.succeed("enroll", "web1", "--grant")
    // The same time, so the order of the keys is by chance.
    let audits = try await fixture.store.values.filter { FleetKey.allAudits.contains($0.key) }
      .map { try AuditRecord.decode($0.value, key: $0.key) }.sorted { $0.action < $1.action }
    #expect(audits.map(\.action) == ["enroll", "grant"])
    #expect(audits.map(\.hosts) == [["web1"], ["web1"]])
    #expect(audits.map(\.author) == ["bea", "ann@test-host"])
    #expect(audits.map(\.reason) == ["new", ""])
    #expect(audits.allSatisfy { $0.policies.isEmpty && $0.time.secondsSinceReference > 0 })
    // Both are in one transaction.
    await fixture.store.interrupt { store in
      try await store.put("/cfg/v1/host/web3", try HostRecord(ring: 2).bytes(of: "web3"))
    }
    #expect(await fixture.run("enroll", "web3").code == .failure)
    #expect(
      try await fixture.store.values.count { FleetKey.allAudits.contains($0.key) } == 2)
  }

  @Test func `M-8: a host may read its own policies only, and write its own status only`()
    async throws
  {
    let fixture = try FleetFixture()
    await fixture.succeed(
      "enroll", "web1", "--group", "build", "--os", "debian", "--grant", "--certificate-name",
      "web1.example.org")
    let access = await fixture.store.access["web1.example.org"]
    #expect(
      access == [
        .key("/cfg/v1/host/web1"), .prefix("/cfg/v1/live/all/"), .prefix("/cfg/v1/live/os:debian/"),
        .prefix("/cfg/v1/live/group:build/"), .prefix("/cfg/v1/live/host:web1/"),
        .key("/status/v1/web1"),
      ])
  }

  @Test func `M-8: a host whose system the record does not name may find any`() async throws {
    let fixture = try FleetFixture()
    try await fixture.host("web1", versions: [:])
    await fixture.succeed("enroll", "web1", "--grant")
    #expect(
      await fixture.store.access["web1"] == [
        .key("/cfg/v1/host/web1"), .prefix("/cfg/v1/live/all/"), .prefix("/cfg/v1/live/host:web1/"),
        .prefix("/cfg/v1/live/os:"), .key("/status/v1/web1"),
      ])
  }

  @Test(arguments: [
    ["enroll", "../web1"], ["enroll", "web1", "--group", "a/b"], ["enroll", "web1", "--ring", "x"],
    ["enroll", "web1", "--label", "room"], ["enroll", "web1", "--os", ""], ["enroll"],
    ["enroll", "web1", "--grant", "--certificate-name", "a/b"],
  ])
  func `M-8: a wrong name is refused`(_ arguments: [String]) async throws {
    let fixture = try FleetFixture()
    let outcome = await fixture.run(arguments, fixture.console())
    #expect([.failure, .usage].contains(outcome.code) && !outcome.errors.isEmpty)
    #expect(await fixture.store.commits == 0)
  }
}
