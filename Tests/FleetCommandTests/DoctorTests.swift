import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// What the doctor finds.
struct DoctorTests {
  private static func member(
    _ endpoint: String, _ version: String = "3.6.1", leads: Bool = false, bytes: Int64 = 1 << 20,
    inUse: Int64 = 0, quota: Int64 = 0, isLearner: Bool = false, hasLeader: Bool = true,
    compacted: Int64 = 5, alarms: [String] = []
  ) -> MemberStatus {
    MemberStatus(
      endpoint: endpoint,
      health: .success(
        .init(
          version: version, databaseBytes: bytes, databaseBytesInUse: inUse, quotaBytes: quota,
          isLearner: isLearner, isLeader: leads, hasLeader: hasLeader, revision: 5000,
          compactRevision: compacted, alarms: alarms)))
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
      Self.member("http://full:1", bytes: 7 << 30, alarms: ["NOSPACE", "CORRUPT"]),
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
      "error: http://full:1: the database has 7168 MB, more than etcd", "alarm CORRUPT",
      "error: http://alone:1: it has no leader",
      "error: http://gone:1: the store can't be reached", "4 endpoints are named",
      "warning: ahead: its clock is ahead", "warning: silent: it was last heard of 60 min ago",
      "warning: new: it has never been heard of", "error: /cfg/v1/live/all/com.example.app: not a",
    ] { #expect(outcome.output.contains(text), "\(text) in \(outcome.output)") }
  }

  /// What the doctor says about three members, the first of which is this one.
  private func findings(
    _ member: MemberStatus, code: ExitCode = .success
  ) async throws -> String {
    let fixture = try FleetFixture()
    await fixture.store.setMembers([
      member, Self.member("https://b:1", leads: true), Self.member("https://c:1"),
    ])
    let outcome = await fixture.run("doctor", "--quiet")
    #expect(outcome.code == code, "\(outcome)")
    return outcome.output
  }

  @Test func `M-8: the doctor knows a quota only from a member that says it`() async throws {
    let (gigabyte, none) = (Int64(1) << 30, ExitCode.success)
    for (bytes, quota, code, text) in [
      (gigabyte, 0, none, ""),
      (2 * gigabyte, 0, none, "2048 MB, of which 1 MB are in use; this version does not say its"),
      (7 * gigabyte, 0, .failure, "7168 MB, of which 1 MB are in use, more than etcd is made for"),
      (3 * gigabyte, 4 * gigabyte, none, ""),
      (gigabyte * 34 / 10, 4 * gigabyte, none, "warning: https://a:1: the database has 3481 MB"),
      (gigabyte * 39 / 10, 4 * gigabyte, .failure, "MB are in use; its quota is 4096 MB"),
    ] as [(Int64, Int64, ExitCode, String)] {
      let found = try await findings(
        Self.member("https://a:1", bytes: bytes, inUse: 1 << 20, quota: quota), code: code)
      #expect(text.isEmpty ? found.isEmpty : found.contains(text), "\(bytes): \(found)")
    }
  }

  @Test func `M-8: the doctor names members that differ, learn, or can't say what it asks`()
    async throws
  {
    for (member, text) in [
      (
        Self.member("https://a:1", "3.5.9"),
        "warning: store: the members have different versions: 3.5.9, 3.6.1"
      ),
      (
        Self.member("https://a:1", isLearner: true, compacted: -1),
        "warning: https://a:1: it is a learner"
      ),
      (
        Self.member("https://a:1", compacted: -1),
        "history is compacted can't be seen with these rights"
      ),
    ] {
      let found = try await findings(member)
      #expect(found.contains(text), "\(found)")
      #expect(found.split(separator: "\n").count == 2, "a finding and its mend: \(found)")
    }
    let found = try await findings(Self.member("https://a:1", hasLeader: false), code: .failure)
    #expect(found.hasPrefix("error: https://a:1: it has no leader"))
  }

  @Test func `M-8: the doctor says which certificates end soon, and which have`() async throws {
    let fixture = try FleetFixture()
    await fixture.store.setMembers([
      Self.member("https://a:1", leads: true), Self.member("https://b:1"),
      Self.member("https://c:1"),
    ])
    let now: Int64 = 1_600_000_000
    let day: Int64 = 86_400
    fixture.store.setCertificates([
      CertificateStatus(file: "/long.pem", end: now + 31 * day),
      CertificateStatus(file: "/short.pem", end: now + 29 * day),
    ])
    var outcome = await fixture.run("doctor", "--quiet")
    #expect(outcome.code == .success)
    #expect(
      outcome.output == """
        warning: /short.pem: it is valid until 2020-10-12 12:26:40 +0000, for 29 days
            renew it: a renewed file is used without a restart

        """)
    fixture.store.setCertificates([CertificateStatus(file: "/old.pem", end: now - 1)])
    outcome = await fixture.run("doctor", "--quiet")
    #expect(outcome.code == .failure)
    #expect(
      outcome.output.hasPrefix("error: /old.pem: it was valid until 2020-09-13 12:26:39 +0000"))
    outcome = await fixture.run("doctor", "--json")
    #expect(outcome.output.contains("/old.pem"))
  }
}
