import DefaultsCommand
import FleetModel
import Foundation
import RevisionedStore
import StrataPropertyList
import StrataTesting
import Testing

@testable import FleetCommand

/// What administrators look at: status, previews, history, and where the store is.
struct StatusTests {
  private static let app = "all/com.example.app"

  private func published() async throws -> FleetFixture {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    await fixture.succeed("publish", file, "--reason", "first")
    return fixture
  }

  @Test func `M-8: the status says who is up to date, who is behind, and who is silent`()
    async throws
  {
    let fixture = try await published()
    try await fixture.host("web1", versions: [Self.app: 1])
    try await fixture.host("web2", versions: [:])
    try await fixture.host("web3")
    let output = await fixture.succeed("status")
    #expect(
      output == """
        web1  up to date  heard of 5 s ago, revision 7  debian  agent 0.2.0
        web2  behind  heard of 5 s ago, revision 7  debian  agent 0.2.0
            all/com.example.app: has no version, should have version 1, published 0 s ago
        web3  never heard of
        all/com.example.app  version 1  1 of 2 hosts up to date
        3 hosts: 1 behind, 0 with problems, 1 never heard of; revision 7

        """)
    #expect(await fixture.succeed("status", Self.app).contains("1 of 2 hosts"))
    #expect(await fixture.run("status", "all/other").code == .failure)
    #expect(await fixture.run("status", "everyone/other").errors.contains("use LAYER/DOMAIN"))
  }

  @Test func `M-8: a problem on a host fails the status`() async throws {
    let fixture = try await published()
    try await fixture.host("web1", versions: [Self.app: 1], problems: ["the disk is full"])
    let outcome = await fixture.run("status", "--quiet")
    #expect(outcome.code == .failure && outcome.output.contains("    the disk is full\n"))
  }

  @Test func `M-8: a preview names the policy of a value, and what it overrode`() async throws {
    let fixture = try await published()
    let file = try fixture.write(
      "group/build/com.example.app.plist", ["forced": ["FontSize": 16], "once": ["Seen": true]])
    await fixture.succeed("publish", file, "--reason", "for builders")
    try await fixture.host("web1", HostRecord(groups: ["build"], users: ["bea"]))
    let user = try fixture.write("user:bea/com.example.app.plist", ["forced": ["FontSize": 20]])
    await fixture.succeed("publish", user, "--reason", "for bea")
    #expect(
      await fixture.succeed("preview", "--host", "web1", "com.example.app") == """
        com.example.app
          FontSize = 16  forced by group:build/com.example.app version 1
            instead of 14  by all/com.example.app version 1
          Seen = true  once by group:build/com.example.app version 1

        """)
    #expect(
      await fixture.succeed("preview", "--host", "web1", "--user", "bea").contains("FontSize = 20"))
    let unknown = await fixture.run("preview", "--host", "web9")
    #expect(unknown.code == .success && unknown.errors.contains("enroll web9"))
    #expect(await fixture.run("preview", "--host", "../x").code == .failure)
  }

  @Test func `M-8: the history shows each version with its difference`() async throws {
    let fixture = try await published()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 16]])
    await fixture.succeed("publish", file, "--reason", "second", "--author", "bea")
    #expect(
      await fixture.succeed("history", Self.app) == """
        version 1  2020-09-13 12:26:40 +0000  ann@test-host: first
        + FontSize = 14
        version 2  2020-09-13 12:26:40 +0000  bea: second, on all hosts
        - FontSize = 14
        + FontSize = 16

        """)
    #expect(await fixture.run("history", "all/other").code == .failure)
  }

  @Test func `M-8: JSON is valid, for each verb`() async throws {
    let fixture = try await published()
    try await fixture.host("web1", versions: [Self.app: 1])
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 16]])
    for arguments in [
      ["plan", file], ["publish", file, "--reason", "x", "--canary", "5%"],
      ["promote", Self.app, "--to", "20%", "--reason", "x"],
      ["rollback", Self.app, "--reason", "x"],
      ["status"], ["status", Self.app], ["history", Self.app], ["preview", "--host", "web1"],
      ["enroll", "web2", "--group", "build"], ["doctor"],
    ] {
      let outcome = await fixture.run(arguments + ["--json"], fixture.console())
      #expect(throws: Never.self, "\(arguments): \(outcome)") {
        try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      }
    }
  }

  /// A store in which every text is this one, and every number as bad as can be.
  private static func hostile(_ text: String) async throws -> FleetFixture {
    let fixture = try FleetFixture()
    let store = fixture.store
    let content: [String: PropertyListValue] = [
      "number": 1, "author": .string(text), "reason": .string(text),
      "published": .date(PropertyListDate(secondsSinceReference: .infinity)),
      "forced": [text: .string(text), "d": .date(PropertyListDate(secondsSinceReference: .nan))],
      text: 1,
    ]
    let policy: PropertyListValue = [
      "domain": "com.example.app", "lastNumber": 1, "stable": .dictionary(content),
    ]
    let last: PropertyListValue = ["domain": "com.example.last", "lastNumber": .integer(.max)]
    for (key, value) in [
      ("live/all/com.example.app", policy), ("live/all/com.example.last", last),
      ("hist/all/com.example.app/0000000001", .dictionary(content)),
    ] { try await store.put("/cfg/v1/" + key, try PropertyList.encode(value, as: .binary)) }
    try await store.put("/cfg/v1/live/all/\(text)", [1, 2, 3])
    try await store.put("/cfg/v1/host/\(text)", [])
    try await fixture.host(
      "web1", versions: [text: 3, "all/x": .max], problems: [text], age: -1e300)
    await store.setMembers([
      MemberStatus(endpoint: text, health: .failure(.unavailable(text))),
      member(text, text, .max, [text]), member("b", "", .min, []),
    ])
    return fixture
  }

  private static func member(
    _ endpoint: String, _ version: String, _ number: Int64, _ alarms: [String]
  ) -> MemberStatus {
    MemberStatus(
      endpoint: endpoint,
      health: .success(
        .init(
          version: version, databaseBytes: number, isLeader: true, hasLeader: false,
          revision: number, compactRevision: 0, alarms: alarms)))
  }

  @Test(arguments: [
    "\u{1B}[31mred", "two\nlines", "\u{9B}2J", "\u{202E}reversed", "nul\0", "\u{2028}line",
  ])
  func `M-12: what the store has can't drive a terminal`(_ text: String) async throws {
    let fixture = try await Self.hostile(text)
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 16]])
    let last = try fixture.write("all/com.example.last.plist", ["forced": ["FontSize": 16]])
    for arguments in [
      ["status"], ["history", Self.app], ["preview", "--host", "web1"], ["doctor"], ["plan", file],
      ["plan", last],
    ] {
      for options in [[], ["--json"]] {
        let outcome = await fixture.run(arguments + options, fixture.console())
        for scalar in (outcome.output + outcome.errors).unicodeScalars where scalar != "\n" {
          let isControl = [.control, .format, .lineSeparator].contains(
            scalar.properties.generalCategory)
          #expect(!isControl, "\(arguments + options): \(outcome)")
          if isControl { break }
        }
        #expect(!outcome.output.contains("\nlines"), "\(arguments + options)")
        #expect(!outcome.errors.contains("cannot write"), "\(arguments + options)")
      }
    }
  }

  @Test func `M-8: where the store is comes from options or settings, or is asked for`()
    async throws
  {
    let fixture = try FleetFixture()
    let none = await fixture.run(["status"], fixture.console(), endpoint: [])
    #expect(none.code == .failure && none.errors.contains("defaults write strata.fleet Endpoints"))
    let wrong = await fixture.run(
      ["status", "--endpoint", "etcd:2379"], fixture.console(), endpoint: [])
    #expect(wrong.errors.contains("etcd:2379 is not an endpoint"))
    _ = Program.run(
      ["write", "strata.fleet", "Endpoints", "-array", "https://a:1", "https://b:1"],
      fixture.console(), fixture.surroundings)
    let password = try fixture.write("password", bytes: Array("secret\n".utf8))
    let outcome = await fixture.run(
      ["status", "--ca", "/ca.pem", "--store-user", "ann", "--password-file", password],
      fixture.console(), endpoint: [])
    #expect(outcome.code == .success, "\(outcome)")
    #expect(
      fixture.location.withLock { $0 }
        == StoreLocation(
          endpoints: ["https://a:1", "https://b:1"], authority: "/ca.pem", user: "ann",
          password: "secret"))
    let half = await fixture.run("status", "--cert", "/a.pem")
    #expect(half.errors.contains("use both --cert and --key"))
  }

  @Test func `M-8: a store that does not answer is reported, and nothing is changed`()
    async throws
  {
    let fixture = try await published()
    await fixture.store.goDown()
    for arguments in [
      ["status"], ["doctor"], ["preview"], ["history", Self.app], ["enroll", "web1"],
    ] {
      let outcome = await fixture.run(arguments, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains("nobody answers"))
    }
  }
}
