import CommandTesting
import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Publishing what is large, what others change at the same time, and what was lost.
struct PublishRaceTests {
  private static let app = "all/com.example.app"

  private func publish(_ size: Int64, _ fixture: FleetFixture) async throws {
    let file = try fixture.write(
      "\(Self.app).plist", ["forced": ["FontSize": .integer(size)]])
    await fixture.succeed("publish", file, "--reason", "size \(size)")
  }

  // M-8
  @Test func `policies that are too large for one transaction are published by several`()
    async throws
  {
    let fixture = try FleetFixture()
    let text = String(repeating: "x", count: 45 << 10)
    for number in 0..<20 {
      try fixture.write("all/com.example.app\(number).plist", ["forced": ["A": .string(text)]])
    }
    let outcome = await fixture.run("publish", fixture.policies, "--reason", "large", "--quiet")
    #expect(outcome.code == .success, "\(outcome.errors)")
    #expect(await fixture.store.commits == 2)
    let live = try await fixture.store.values.filter { $0.key.hasPrefix("/cfg/v1/live/") }
    #expect(live.count == 20)
  }

  // M-8
  @Test(arguments: [[], ["--to", "1"]], [1, 2])
  func `a rollback of what somebody has changed since its history was read changes nothing`(
    options: [String], read: Int
  ) async throws {
    let fixture = try FleetFixture()
    try await publish(14, fixture)
    try await publish(15, fixture)
    let key = "/cfg/v1/live/\(Self.app)"
    let theirs = try Self.bytes(number: 3, fontSize: 20)
    await fixture.store.interruptRead(after: options.isEmpty ? read : 1) {
      try await $0.put(key, theirs)
    }
    let outcome = await fixture.run(
      ["rollback", Self.app, "--reason", "broken"] + options, fixture.console())
    #expect(outcome.code == .failure, "\(outcome)")
    #expect(outcome.errors.contains("changed meanwhile"), "\(outcome.errors)")
    #expect(
      try await fixture.policy(Self.app)?.stable?.content.entries["FontSize"]?.value == 20)
  }

  private static func bytes(number: Int64, fontSize: Int64) throws -> [UInt8] {
    let version: [String: PropertyListValue] = [
      "number": .integer(number), "author": "bob", "reason": "mine",
      "published": .date(PropertyListDate(secondsSinceReference: 0)),
      "forced": ["FontSize": .integer(fontSize)],
    ]
    return try PropertyList.encode(
      [
        "domain": "com.example.app", "lastNumber": .integer(number),
        "stable": .dictionary(version),
      ], as: .binary)
  }

  // M-8, M-12
  @Test(arguments: [false, true])
  func `a policy whose damaged key was deleted goes on after the last version of its history`(
    isLifted: Bool
  ) async throws {
    let fixture = try FleetFixture()
    for size: Int64 in 14...16 { try await publish(size, fixture) }
    let key = "/cfg/v1/live/\(Self.app)"
    try await fixture.store.put(key, [1, 2, 3])
    let entries: [String: PropertyListValue] = isLifted ? [:] : ["forced": ["FontSize": 17]]
    let file = try fixture.write("\(Self.app).plist", entries)
    let arguments = ["publish", file, "--reason", "again"]
    let refused = await fixture.run(arguments, fixture.console())
    #expect(refused.code == .failure && refused.errors.contains("can't be read"), "\(refused)")
    await fixture.store.delete(key)
    let plan = await fixture.run("plan", file)
    #expect(plan.output.contains("version 4"), "\(plan)")
    let outcome = await fixture.run(arguments, fixture.console())
    #expect(outcome.code == .success, "\(outcome)")
    let policy = try #require(try await fixture.policy(Self.app))
    #expect(policy.lastNumber == 4 && policy.stable?.number == 4)
    #expect(policy.stable?.content.entries.isEmpty == isLifted)
  }

  // M-8, M-9
  @Test func `a policy whose key was deleted is not published as a candidate`() async throws {
    let fixture = try FleetFixture()
    for size: Int64 in 14...16 { try await publish(size, fixture) }
    await fixture.store.delete("/cfg/v1/live/\(Self.app)")
    let file = try fixture.write("\(Self.app).plist", ["forced": ["FontSize": 17]])
    let arguments = ["publish", file, "--reason", "again"]
    for rollout in [["--canary", "5%"], ["--ring", "1"]] {
      let refused = await fixture.run(arguments + rollout, fixture.console())
      #expect(refused.code == .failure && refused.errors.contains("on all hosts first"))
    }
    #expect(await fixture.run(arguments, fixture.console()).code == .success)
    #expect(try await fixture.policy(Self.app)?.stable?.number == 4)
  }

  // M-8
  @Test func `of several policies, one that was deleted goes on after its history`()
    async throws
  {
    let fixture = try FleetFixture()
    try await publish(14, fixture)
    let other = try fixture.write("all/com.example.other.plist", ["forced": ["A": 1]])
    await fixture.succeed("publish", other, "--reason", "first")
    await fixture.store.delete("/cfg/v1/live/all/com.example.other")
    try fixture.write("all/com.example.other.plist", ["forced": ["A": 2]])
    try fixture.write("\(Self.app).plist", ["forced": ["FontSize": 15]])
    await fixture.succeed("publish", fixture.policies, "--reason", "second")
    #expect(try await fixture.policy(Self.app)?.stable?.number == 2)
    #expect(try await fixture.policy("all/com.example.other")?.stable?.number == 2)
  }
}
