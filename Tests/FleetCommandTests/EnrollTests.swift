import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Enrolling hosts, and what the doctor finds.
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
  ])
  func `M-8: a wrong name is refused`(_ arguments: [String]) async throws {
    let fixture = try FleetFixture()
    let outcome = await fixture.run(arguments, fixture.console())
    #expect([.failure, .usage].contains(outcome.code) && !outcome.errors.isEmpty)
    #expect(await fixture.store.commits == 0)
  }

  private static func member(
    _ endpoint: String, _ version: String = "3.6.1", leads: Bool = false, bytes: Int64 = 1 << 20,
    hasLeader: Bool = true, compacted: Int64 = 5, alarms: [String] = []
  ) -> MemberStatus {
    MemberStatus(
      endpoint: endpoint,
      health: .success(
        .init(
          version: version, databaseBytes: bytes, isLeader: leads, hasLeader: hasLeader,
          revision: 5000, compactRevision: compacted, alarms: alarms)))
  }

  @Test func `M-8: the doctor is content with a sound store`() async throws {
    let fixture = try FleetFixture()
    await fixture.store.setMembers([
      Self.member("https://a:1", leads: true), Self.member("https://b:1"),
      Self.member("https://c:1"),
    ])
    try await fixture.host("web1", versions: [:])
    #expect(await fixture.succeed("doctor").hasSuffix("no problems found\n"))
  }

  @Test func `M-8: the doctor finds what is wrong with members and hosts`() async throws {
    let fixture = try FleetFixture()
    await fixture.store.setMembers([
      Self.member("http://old:1", "3.4.23", leads: true, compacted: 0),
      Self.member("http://full:1", bytes: 4 << 30, alarms: ["NOSPACE"]),
      Self.member("http://alone:1", hasLeader: false),
      MemberStatus(endpoint: "http://gone:1", health: .failure(.unavailable("refused"))),
    ])
    try await fixture.host("ahead", versions: [:], age: -3600)
    try await fixture.host("silent", versions: [:], age: 3600)
    try await fixture.host("new")
    try await fixture.store.put("/cfg/v1/live/all/com.example.app", [1, 2, 3])
    let outcome = await fixture.run("doctor")
    #expect(outcome.code == .failure)
    for text in [
      "warning: http://old:1: etcd 3.4.23 lacks fixes", "never been compacted",
      "etcdctl alarm disarm",
      "error: http://full:1: the database has 4096 MB", "error: http://alone:1: it has no leader",
      "error: http://gone:1: the store can't be reached", "4 endpoints are named",
      "warning: ahead: its clock is ahead", "warning: silent: it was last heard of 60 min ago",
      "warning: new: it has never been heard of", "error: /cfg/v1/live/all/com.example.app: not a",
    ] { #expect(outcome.output.contains(text), "\(text) in \(outcome.output)") }
  }
}
