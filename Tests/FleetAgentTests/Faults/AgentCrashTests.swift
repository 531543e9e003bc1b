import FleetAgent
import RevisionedStore
import StrataTesting
import Testing

@testable import FaultTesting

/// Agents that die, or whose disk fails, at every operation.
struct AgentCrashTests {
  private let script: FaultScript

  init() throws { script = try FaultScript() }

  /// Runs the script, and looks at an image of the machine before each disk operation.
  ///
  /// - Returns: how many images there were.
  private func images(
    of image: @escaping (FaultMachine) -> FaultMachine, _ name: String
  ) throws -> Int {
    let host = FaultScript.host()
    var (count, failure) = (0, String?.none)
    for (number, snapshot) in script.snapshots.enumerated() {
      let (old, new) = (script.files[number], script.files[number + 1])
      host.machine.beforeCall = { call, operation in
        if failure != nil { return }
        count += 1
        let left = FaultHost(image(host.machine))
        if let complaint = left.complaint(between: old, and: new)
          ?? restartAlone(left, new) ?? restart(left, snapshot, new)
        {
          failure = "\(name), step \(number), before call \(call), \(operation): \(complaint)"
        }
      }
      host.run(snapshot)
      host.machine.beforeCall = nil
      try #require(failure == nil, "\(failure ?? "")")
    }
    return count
  }

  /// What is wrong after the agent's next run if it can't reach the store.
  private func restartAlone(_ host: FaultHost, _ new: [String: [UInt8]]) -> String? {
    let before = host.files
    var agent = host.agent()
    agent.apply()
    let after = host.files
    for path in Set(before.keys).union(after.keys).union(new.keys)
    where after[path] != before[path] && after[path] != new[path] {
      return "a restart without the store takes \(path) back"
    }
    return nil
  }

  /// What is wrong after its next run with the store.
  private func restart(
    _ host: FaultHost, _ snapshot: StoreSnapshot, _ files: [String: [UInt8]]
  ) -> String? {
    let agent = host.run(snapshot)
    if let difference = host.difference(from: files) { return "after a restart, \(difference)" }
    if !host.leftOvers.isEmpty { return "a restart leaves \(host.leftOvers)" }
    return agent.problems.count == 1 ? nil : "a restart has \(agent.problems)"
  }

  // M-5
  @Test func `the agent's death at any disk operation leaves old or new files, whole`() throws {
    let count = try images(of: { $0.afterDeath() }, "death")
    #expect(count > 100)
  }

  // M-5
  @Test func `a power cut at any disk operation leaves old or new files, whole`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<repetitions("STRATA_POWER_CUTS", else: 4) {
      _ = try images(of: { $0.afterPowerCut(using: &random) }, "seed \(seed)")
    }
  }

  // M-5
  @Test func `an empty provenance, as a power cut brings it back, claims no file`() throws {
    let host = FaultScript.host()
    let mark = FaultHost.system + "/managed/com.example.hand.provenance"
    let (hand, snapshot) = (host.files, script.snapshots[0])
    host.machine.edit(mark, [])
    let none = StoreSnapshot(revision: 1, values: [])
    #expect(host.run(none).problems == [])
    #expect(host.files == hand)
    #expect(host.machine.names[mark] == nil)
    host.machine.edit(mark, [])
    #expect(host.run(snapshot).problems.count == 1)
    #expect(host.files[FaultScript.byHand] == hand[FaultScript.byHand])
  }
}
