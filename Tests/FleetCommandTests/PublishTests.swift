import CommandTesting
import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Planning and publishing.
struct PublishTests {
  private static let app = "all/com.example.app"

  @Test func `M-8: a plan shows the difference and the hosts, and changes nothing`() async throws {
    let fixture = try FleetFixture()
    try await fixture.host("web1", HostRecord(groups: ["build"]))
    try await fixture.host("web2")
    let file = try fixture.write(
      "group:build/com.example.app.plist", ["forced": ["FontSize": 14], "recommended": ["A": "b"]])
    let output = await fixture.succeed("plan", file)
    #expect(
      output == """
        group:build/com.example.app  new → version 1 on all hosts, affects 1 host: web1
        + A (recommended) = "b"
        + FontSize = 14
        1 policy, 1 host

        """)
    #expect(await fixture.store.commits == 0)
    #expect(await fixture.run("plan", file, "--detailed-exitcode").code == .changed)
  }

  @Test func `M-8: publishing again changes nothing, and the exit code says so`() async throws {
    let fixture = try FleetFixture()
    try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    try fixture.write("os/debian/com.example.app.json", bytes: Array(#"{"once":{"a":1}}"#.utf8))
    let arguments = ["publish", fixture.policies, "--reason", "larger", "--detailed-exitcode"]
    let first = await fixture.run(arguments, fixture.console())
    #expect(first.code == .changed && first.errors.isEmpty, "\(first)")
    let policy = try #require(try await fixture.policy(Self.app)?.stable)
    #expect(policy.author == "ann@test-host" && policy.reason == "larger" && policy.number == 1)
    #expect(await fixture.store.commits == 1)
    let second = await fixture.run(arguments, fixture.console())
    #expect(second == .init(output: "nothing changes\n", code: .success))
    #expect(await fixture.store.commits == 1)
  }

  @Test func `M-8: what can't be listed is not published as if it were empty`() async throws {
    let fixture = try FleetFixture()
    try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    try fixture.write("os/debian/com.example.app.plist", ["forced": ["FontSize": 15]])
    try fixture.write("group:build/com.example.app.plist", ["forced": ["FontSize": 16]])
    try fixture.write("others/com.example.txt", bytes: [])
    for path in ["", "/all", "/os", "/os/debian", "/group:build", "/others"] {
      let console = fixture.console()
      console.unreadable = [fixture.policies + path]
      let outcome = await fixture.run(
        ["publish", fixture.policies, "--reason", "first"], console)
      #expect(outcome.code == .failure, "\(path): \(outcome)")
      #expect(outcome.errors.contains("cannot list \(fixture.policies + path): "), "\(outcome)")
    }
    #expect(await fixture.store.commits == 0)
    let none = await fixture.run("publish", fixture.policies + "/none", "--reason", "first")
    #expect(none.code == .failure && none.errors.contains("No such file"), "\(none)")
  }

  @Test func `M-8: a change needs a reason`() async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    for arguments in [["publish", file], ["publish", file, "--reason", " "]] {
      let outcome = await fixture.run(arguments, fixture.console())
      #expect(outcome.code == .usage && outcome.errors.contains("--reason TEXT"), "\(outcome)")
    }
    await fixture.succeed("publish", file, "--dry-run")
    #expect(await fixture.store.commits == 0)
  }

  @Test func `M-8: arguments are checked before the change is made`() async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    let outcome = await fixture.run("publish", file, "--reason", "larger", "--wait", "2m")
    #expect(outcome.code == .usage && outcome.output.isEmpty, "\(outcome)")
    #expect(await fixture.store.commits == 0)
  }

  @Test(arguments: [
    ("all/app.plist", "all/app.plist", "all"), ("user/tree/all/app.plist", "user/tree", "all"),
    ("user:all/app.plist", "user:all/app.plist", "user:all"),
    ("user/tree/group/b/app.plist", "user/tree", "group:b"),
    ("user/group:b/app.plist", "user/group:b/app.plist", "group:b"),
    ("user/ann/app.plist", "user/ann/app.plist", "user:ann"),
    ("user/ann/app.plist", "user/ann/", "user:ann"), ("user/ann/app.plist", "user", "user:ann"),
  ])
  func `M-6: the nearest directories are the layer`(
    path: String, operand: String, layer: String
  ) async throws {
    let fixture = try FleetFixture()
    try fixture.write(path, ["forced": ["FontSize": 14]])
    let output = await fixture.succeed("plan", "\(fixture.policies)/\(operand)")
    #expect(output.hasPrefix("\(layer)/app  new"), "\(output)")
  }

  @Test(arguments: ["user/all/app.plist", "user/all", "user"])
  func `M-6: what could be for all or for a user called all is refused`(operand: String)
    async throws
  {
    let fixture = try FleetFixture()
    try fixture.write("user/all/app.plist", ["forced": ["FontSize": 14]])
    let outcome = await fixture.run("plan", "\(fixture.policies)/\(operand)")
    #expect(outcome.code == .failure && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains("name it user:all"), "\(outcome.errors)")
  }

  @Test func `M-8: a policy that somebody else has changed is shown, and not replaced`()
    async throws
  {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    await fixture.succeed("publish", file, "--reason", "first")
    let mine = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 16]])
    let theirs = try Self.bytes(fontSize: 20)
    await fixture.store.interrupt {
      try await $0.put("/cfg/v1/live/all/com.example.app", theirs)
    }
    let outcome = await fixture.run("publish", mine, "--reason", "second")
    #expect(outcome.code == .failure)
    #expect(outcome.output.hasSuffix("- FontSize = 14\n+ FontSize = 20\n"), "\(outcome.output)")
    #expect(outcome.errors.contains("changed meanwhile by bob: mine"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix("Nothing was published.\n"))
    let now = try await fixture.policy(Self.app)
    #expect(now?.stable?.content.entries["FontSize"]?.value == 20)
  }

  private static func bytes(fontSize: PropertyListValue) throws -> [UInt8] {
    let version: [String: PropertyListValue] = [
      "number": 2, "author": "bob", "reason": "mine",
      "published": .date(PropertyListDate(secondsSinceReference: 0)),
      "forced": ["FontSize": fontSize],
    ]
    return try PropertyList.encode(
      ["domain": "com.example.app", "lastNumber": 2, "stable": .dictionary(version)], as: .binary)
  }

  @Test func `M-8: an unrelated change meanwhile does not hinder`() async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write("group:a/com.example.app.plist", ["forced": ["FontSize": 14]])
    let other = try PropertyList.encode(
      [
        "domain": "com.example.other", "lastNumber": 1,
        "stable": ["number": 1, "author": "bob", "reason": "", "forced": ["x": 1]],
      ], as: .binary)
    await fixture.store.interrupt {
      try await $0.put("/cfg/v1/live/group:b/com.example.other", other)
    }
    await fixture.succeed("publish", file, "--reason", "first")
    #expect(await fixture.store.commits == 2)
    #expect(try await fixture.policy("group:a/com.example.app") != nil)
  }

  @Test func `M-6: two groups with the same key and priority are refused`() async throws {
    let fixture = try FleetFixture()
    let one = try fixture.write("group:a/com.example.app.plist", ["forced": ["FontSize": 14]])
    await fixture.succeed("publish", one, "--reason", "first")
    let two = try fixture.write("group:b/com.example.app.plist", ["forced": ["FontSize": 16]])
    for arguments in [["plan", two], ["publish", two, "--reason", "second"]] {
      let outcome = await fixture.run(arguments, fixture.console())
      #expect(outcome.code == .failure && outcome.errors.contains("give one of them another"))
    }
    #expect(await fixture.store.commits == 1)
  }

  @Test func `M-8: a lost answer is looked after`() async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    await fixture.store.lose(.outcomeUnknown("reset"), isMade: false)
    let lost = await fixture.run("publish", file, "--reason", "first")
    #expect(lost.code == .failure && lost.errors.contains("does not have the change"), "\(lost)")
    await fixture.store.lose(.outcomeUnknown("reset"), isMade: true)
    let made = await fixture.run("publish", file, "--reason", "first")
    #expect(made.code == .success && made.errors.contains("the store has the change"), "\(made)")
    #expect(try await fixture.policy(Self.app)?.stable?.number == 1)
  }

  @Test func `M-8: more policies than fit into a transaction are published by several`()
    async throws
  {
    let fixture = try FleetFixture()
    for number in 0..<130 {
      try fixture.write("group:a/com.example.app\(number).plist", ["forced": ["FontSize": 14]])
    }
    await fixture.succeed("publish", fixture.policies, "--reason", "many")
    #expect(await fixture.store.commits == 3)
    let live = try await fixture.store.values.filter { $0.key.hasPrefix("/cfg/v1/live/") }
    #expect(live.count == 130)
    #expect(await fixture.succeed("plan", fixture.policies) == "nothing changes\n")
  }

  @Test func `M-9: a candidate spreads, and is for all or for none in the end`() async throws {
    let fixture = try FleetFixture()
    let old = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    await fixture.succeed("publish", old, "--reason", "first")
    let new = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 16]])
    let canary = await fixture.succeed("publish", new, "--reason", "second", "--canary", "5%")
    #expect(canary.contains("version 1 → candidate 2 on 5% of the hosts"), "\(canary)")
    let small = await fixture.run("promote", Self.app, "--to", "1%", "--reason", "less")
    #expect(small.code == .failure && small.errors.contains("larger share"))
    await fixture.succeed("promote", Self.app, "--to", "20%", "--reason", "more")
    #expect(try await fixture.policy(Self.app)?.candidate?.rollout == .share(2000))
    let back = await fixture.succeed("rollback", Self.app, "--reason", "broken")
    #expect(back.contains("candidate 2 is taken back, version 1 stays"), "\(back)")
    #expect(back.contains("- FontSize = 16\n+ FontSize = 14\n"), "\(back)")
    await fixture.succeed("publish", new, "--reason", "again", "--ring", "1")
    await fixture.succeed("promote", Self.app, "--reason", "works")
    let policy = try await fixture.policy(Self.app)
    #expect(policy?.candidate == nil && policy?.stable?.number == 3)
  }

  @Test(arguments: ["5", "0%", "101%", "1e1%", "-5%", "%", "nan%"])
  func `M-9: a share that is none is refused`(_ share: String) async throws {
    let fixture = try FleetFixture()
    let file = try fixture.write("all/com.example.app.plist", ["forced": ["FontSize": 14]])
    let outcome = await fixture.run("plan", file, "--canary", share)
    #expect(outcome.code == .usage && outcome.errors.contains("is not a share of the hosts"))
  }

  @Test func `M-9: a candidate that another version ends is named`() async throws {
    let fixture = try FleetFixture()
    for (size, options) in [(14, ["--canary", "5%"]), (16, [])] {
      let file = try fixture.write(
        "all/com.example.app.plist", ["forced": ["FontSize": .integer(Int64(size))]])
      let outcome = await fixture.run(
        ["publish", file, "--reason", "size \(size)"] + options, fixture.console())
      #expect(outcome.output.contains(", and candidate 1 ends") == (size == 16), "\(outcome)")
    }
  }

  @Test func `M-8: a rollback goes to no other version because the right one can't be read`()
    async throws
  {
    let damages: [(key: String, damage: (StoredValue) throws -> [UInt8])] = [
      ("/cfg/v1/hist/all/com.example.app/0000000002", { _ in [1, 2, 3] }),
      ("/cfg/v1/hist/all/com.example.app/0000000002", { try Self.changing($0, "forced", 7) }),
      ("/cfg/v1/audit/", { _ in [1, 2, 3] }),
      ("/cfg/v1/audit/", { try Self.changing($0, "policies", 7) }),
      ("/cfg/v1/audit/", { try Self.changing($0, "policies", [Self.app: "2"]) }),
    ]
    for (number, (prefix, damage)) in damages.enumerated() {
      let fixture = try FleetFixture()
      for size in 14...16 {
        let file = try fixture.write(
          "all/com.example.app.plist", ["forced": ["FontSize": .integer(Int64(size))]])
        await fixture.succeed("publish", file, "--reason", "size \(size)")
      }
      let value = try #require(
        try await fixture.store.values.first {
          $0.key.hasPrefix(prefix) && String(decoding: $0.value, as: UTF8.self).contains("size 15")
        })
      try await fixture.store.put(value.key, try damage(value))
      let outcome = await fixture.run("rollback", Self.app, "--reason", "too large")
      #expect(outcome.code == .failure, "\(number): \(outcome)")
      #expect(outcome.errors.contains(value.key) || outcome.errors.contains("version 2"))
      #expect(try await fixture.policy(Self.app)?.lastNumber == 3)
      let chosen = await fixture.run("rollback", Self.app, "--to", "1", "--reason", "too large")
      #expect(chosen.code == .success, "\(number): \(chosen)")
      // The damaged one is older than the one to go back to.
      let back = await fixture.run("rollback", Self.app, "--reason", "again")
      #expect(back.code == .success, "\(number): \(back)")
      #expect(
        try await fixture.policy(Self.app)?.stable?.content.entries["FontSize"]?.value == 16)
    }
  }

  private static func changing(
    _ value: StoredValue, _ key: String, _ new: PropertyListValue
  ) throws -> [UInt8] {
    guard case .dictionary(var entries) = try PropertyList.decode(value.value).value else {
      return []
    }
    entries[key] = new
    return try PropertyList.encode(.dictionary(entries), as: .binary)
  }

  @Test func `M-8: a rollback goes to the version that was on all hosts before`() async throws {
    let fixture = try FleetFixture()
    let name = "all/com.example.app.plist"
    for (size, options) in [(14, []), (15, ["--canary", "5%"]), (16, [])] {
      let file = try fixture.write(name, ["forced": ["FontSize": .integer(Int64(size))]])
      let arguments = ["publish", file, "--reason", "size \(size)"] + options
      #expect(await fixture.run(arguments, fixture.console()).code == .success)
    }
    await fixture.succeed("rollback", Self.app, "--reason", "too large")
    #expect(
      try await fixture.policy(Self.app)?.stable?.content.entries["FontSize"]?.value == 14)
    await fixture.succeed("rollback", Self.app, "--to", "2", "--reason", "try again")
    let policy = try await fixture.policy(Self.app)
    #expect(policy?.stable?.content.entries["FontSize"]?.value == 15 && policy?.lastNumber == 5)
    let history = await fixture.succeed("history", Self.app)
    #expect(history.contains("version 4") && history.contains("ann@test-host: too large"))
    #expect(await fixture.run("rollback", Self.app, "--to", "9", "--reason", "x").code == .failure)
  }
}
