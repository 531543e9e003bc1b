import FleetAgent
import FleetModel
import RevisionedStore
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// Agents that die while they set values once, and users who do not wait for the next start.
struct OnceCrashTests {
  private static let values: [String: PropertyListValue] = ["Theme": "dark", "Size": 2]

  private func snapshot(_ version: Int64) throws -> StoreSnapshot {
    let entries = Self.values.mapValues { PolicyEntry($0, .once) }
    return try .sample(
      [.sample("all", entries, number: version)], of: "web1", revision: version)
  }

  /// A host whose user has set one of the two keys, the last time a moment ago.
  private func host() throws -> FaultHost {
    let host = FaultHost()
    let store = host.userStore
    try store.set("light", forKey: "Theme")
    _ = store.synchronize()
    try store.set("lighter", forKey: "Theme")
    return host
  }

  /// Looks at an image of the machine before each disk operation of an agent that sets two values.
  private func images(
    of image: @escaping (FaultMachine) -> FaultMachine, _ name: String,
    _ complaint: @escaping (FaultHost, StoreSnapshot) throws -> String?
  ) throws {
    let (host, snapshot) = (try host(), try snapshot(1))
    var (count, failure) = (0, String?.none)
    host.machine.beforeCall = { call, operation in
      if failure != nil { return }
      count += 1
      do {
        if let complaint = try complaint(FaultHost(image(host.machine)), snapshot) {
          failure = "\(name), before call \(call), \(operation): \(complaint)"
        }
      } catch { failure = "\(error)" }
    }
    host.run(snapshot)
    host.machine.beforeCall = nil
    try #require(failure == nil, "\(failure ?? "")")
    #expect(count > 30)
  }

  private func complaintOfRestart(_ host: FaultHost, _ snapshot: StoreSnapshot) -> String? {
    let agent = host.run(snapshot)
    if !agent.problems.isEmpty { return "\(agent.problems)" }
    let found = host.userStore.snapshot().values
    return found == Self.values ? nil : "a restart leaves \(found)"
  }

  // M-7
  @Test func `a value for once is set although the agent died at any disk operation`() throws {
    try images(of: { $0.afterDeath() }, "death", complaintOfRestart)
  }

  // M-7
  @Test func `a value for once is set although the power was cut at any disk operation`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<repetitions("STRATA_POWER_CUTS", else: 4) {
      try images(
        of: { $0.afterPowerCut(using: &random) }, "seed \(seed)", complaintOfRestart)
    }
  }

  // M-7
  @Test func `what the user sets over it stays, at whichever operation the agent died`() throws {
    var overwritten = 0
    try images(of: { $0.afterDeath() }, "death") { host, snapshot in
      var expected = Self.values
      for (key, value) in Self.values where host.userStore.value(forKey: key) == value {
        try host.userStore.set("mine", forKey: key)
        expected[key] = "mine"
        overwritten += 1
      }
      host.run(snapshot)
      let agent = host.run(snapshot)
      let found = host.userStore.snapshot().values
      if found != expected { return "\(found) instead of \(expected)" }
      return agent.state.pending.isEmpty ? nil : "pending: \(agent.state.pending)"
    }
    #expect(overwritten > 2)
  }

  // M-7
  @Test func `a state that can't be read for a time is neither replaced nor forgotten`() throws {
    let (host, snapshot) = (try host(), try snapshot(1))
    host.run(snapshot)
    try host.userStore.set("mine", forKey: "Theme")
    let path = FaultHost.state + "/state.plist"
    let saved = try #require(host.machine.names[path]?.bytes)
    host.machine.quietError = { [machine = host.machine] call, _ in
      call == .read && machine.names[path]?.bytes == saved ? 5 : nil
    }
    var agent = host.run(snapshot)
    #expect(agent.problems.count == 1)
    #expect(host.machine.names[path]?.bytes == saved)
    host.machine.quietError = nil
    agent.apply()
    #expect(host.userStore.value(forKey: "Theme") == "mine")
    #expect(agent.problems == [])
    #expect(agent.state.done.count == 2)
  }

  // M-7
  @Test func `without room for the state nothing is set, and then it is`() throws {
    let (host, snapshot) = (try host(), try snapshot(1))
    host.machine.error = { _, name, _ in name.hasPrefix("mkdir \(FaultHost.state)") ? 28 : nil }
    var agent = host.run(snapshot)
    #expect(agent.problems.count == 1)
    #expect(host.userStore.snapshot().values == ["Theme": "lighter"])
    try host.userStore.set("lightest", forKey: "Theme")
    host.machine.error = nil
    agent.apply()
    #expect(host.userStore.snapshot().values == Self.values)
    #expect(agent.problems == [])
    #expect(agent.state.done.count == 2)
  }
}
