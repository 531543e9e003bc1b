import CommandTesting
import DefaultsCommand
import FleetModel
import RevisionedStore
import StrataPropertyList
import Testing

@testable import FleetCommand

/// Publishing what is large, what others change at the same time, and what was lost.
struct PublishRaceTests {

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
}
