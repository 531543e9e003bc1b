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

  /// The same, but the user's value is in the property list only, as after an edit by hand.
  private func hostWithList() -> FaultHost {
    let host = FaultHost()
    host.machine.makeParents(of: FaultHost.app.plist)
    host.machine.edit(FaultHost.app.plist, Array("{ Theme = lighter; }".utf8))
    return host
  }

  /// Looks at an image of the machine before each disk operation of an agent that sets two values.
  private func images(
    of image: @escaping (FaultMachine) -> FaultMachine, _ name: String, on host: FaultHost? = nil,
    _ complaint: @escaping (FaultHost, StoreSnapshot) throws -> String?
  ) throws {
    let (host, snapshot) = (try host ?? self.host(), try snapshot(1))
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

  /// Counts the looks at the user's property list and journal, and has some of them fail.
  private func failLooks(_ numbers: Range<Int>, at host: FaultHost) -> () -> Bool {
    nonisolated(unsafe) var count = 0
    host.machine.pathError = { call, path in
      let isLook = call == .open || call == .read
      guard isLook, [FaultHost.app.plist, FaultHost.app.journal].contains(path) else { return nil }
      count += 1
      return numbers.contains(count) ? 5 : nil
    }
    return { count >= numbers.lowerBound }
  }

  // M-7
  @Test(arguments: [false, true], 1...4)
  func `without a state, a value stays although looks at the user's files failed`(
    isInJournal: Bool, failures: Int
  ) throws {
    for number in 1... {
      let host = try isInJournal ? host() : hostWithList()
      host.machine.makeParents(of: FaultHost.state + "/state.plist")
      host.machine.edit(FaultHost.state + "/state.plist", [1, 2, 3])
      let hasFailed = failLooks(number..<number + failures, at: host)
      var agent = host.run(try snapshot(1))
      let isEnd = !hasFailed()
      host.machine.pathError = nil
      agent.apply()
      let found = host.userStore.snapshot().values
      #expect(found == ["Theme": "lighter", "Size": 2], "look \(number)")
      #expect(agent.state.done.count == 2 && agent.state.pending.isEmpty, "look \(number)")
      if isEnd { return #expect(number > 1) }
    }
  }

  // M-7
  @Test func `a value is set after a death, although one look at the user's files failed`() throws {
    for number in 1...6 {
      try images(of: { $0.afterDeath() }, "look \(number)", on: hostWithList()) {
        host, snapshot in
        _ = failLooks(number..<number + 1, at: host)
        host.run(snapshot)
        host.machine.pathError = nil
        return complaintOfRestart(host, snapshot)
      }
    }
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
