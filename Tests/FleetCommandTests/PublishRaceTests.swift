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
}
