import FleetAgent
import FleetModel
import RevisionedStore
import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

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
          ?? left.complaintOfRestartAlone(new) ?? restart(left, snapshot, new)
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
  @Test func `what is for an operating system stays while nobody knows which one it is`() throws {
    let host = FaultHost()
    let policy = try Policy.sample("os:debian", ["Theme": PolicyEntry("a")])
    var agent = host.agent(os: "debian")
    agent.adopt(try .sample([policy], HostRecord(), of: "web1", revision: 1))
    agent.apply()
    let files = host.files
    try #require(files.count == 2)
    for _ in 0..<2 {
      var next = host.agent(os: nil)
      next.apply()
      #expect(host.files == files)
      #expect(next.problems.count == 1)
      #expect(next.status.versions == ["os:debian/com.example.app": 1])
      #expect(next.status.os == "debian")
    }
    // Another one is another one.
    let copy = FaultHost(host.machine.afterDeath())
    var other = copy.agent(os: "ubuntu")
    other.adopt(try .sample([], HostRecord(), of: "web1", revision: 2))
    other.apply()
    #expect(copy.files == [:] && other.problems == [])
    // Without the state, not even the last one is known.
    host.machine.remove(FaultHost.state + "/state.plist")
    host.run(try .sample([], HostRecord(), of: "web1", revision: 2))
    #expect(host.files == files)
  }

  // M-5
  @Test func `a system that can't be read is not taken for another one, or for none`() throws {
    let machine = FaultMachine()
    let paths = ["/etc/os-release", "/usr/lib/os-release"]
    func name() throws -> String? { try HostFiles.operatingSystem(in: paths, on: machine.disk) }
    #expect(try name() == nil)
    for (path, id) in zip(paths, ["debian", "base"]) {
      machine.makeParents(of: path)
      machine.edit(path, Array("ID=\(id)\n".utf8))
    }
    #expect(try name() == "debian")
    machine.pathError = { call, path in call == .read && path == paths[0] ? 5 : nil }
    let error = #expect(throws: StorageError.self) { try name() }
    #expect(error?.path == paths[0])
    machine.pathError = nil
    machine.edit(paths[0], Array("NAME=x\n".utf8))
    #expect(try name() == "base")
  }

  // M-5
  @Test func `a restart without the store takes nothing back that could not be remembered`() throws
  {
    for (number, snapshot) in script.snapshots.enumerated() {
      for isUnread in [false, true] {
        let host = FaultScript.host()
        for snapshot in script.snapshots.prefix(number) { host.run(snapshot) }
        let state = FaultHost.state + "/state.plist"
        if isUnread {
          host.machine.pathError = { call, path in call == .open && path == state ? 5 : nil }
        } else {
          host.machine.error = { _, name, _ in
            name.hasPrefix("create \(FaultHost.state)") ? 28 : nil
          }
        }
        var agent = host.run(snapshot)
        let name = "step \(number), unread: \(isUnread)"
        let complaint = host.complaint(between: script.files[number], and: script.files[number + 1])
        #expect(complaint == nil, "\(name)")
        host.machine.error = nil
        host.machine.pathError = nil
        let left = FaultHost(host.machine.afterDeath())
        let back = left.complaintOfRestartAlone(script.files[number + 1])
        #expect(back == nil, "\(name)")
        #expect(restart(left, snapshot, script.files[number + 1]) == nil, "\(name)")
        agent.apply()
        #expect(host.difference(from: script.files[number + 1]) == nil, "\(name)")
        #expect(agent.problems.count == 1, "\(name): \(agent.problems)")
      }
    }
  }

  // M-5
  @Test func `a group that the host has joined, or left, stays so although that can't be saved`()
    throws
  {
    let key = FaultHost.system + "/managed/com.example.app.plist"
    let policies = [
      try Policy.sample("all", ["Theme": PolicyEntry("a")]),
      try Policy.sample("group:build", ["Theme": PolicyEntry("b"), "Size": PolicyEntry(1)]),
    ]
    for (before, after) in [([], ["build"]), (["build"], [])] {
      let host = FaultHost()
      host.run(try .sample(policies, HostRecord(groups: before), of: "web1", revision: 1))
      host.machine.error = { _, name, _ in
        name.hasPrefix("create \(FaultHost.state)") ? 28 : nil
      }
      host.run(try .sample(policies, HostRecord(groups: after), of: "web1", revision: 2))
      let files = host.files
      host.machine.error = nil
      var agent = host.agent()
      agent.apply()
      #expect(host.files == files, "\(after)")
      agent.adopt(try .sample(policies, HostRecord(groups: after), of: "web1", revision: 2))
      agent.apply()
      let values = try PropertyList.decode(try #require(host.files[key])).value
      #expect(values == (after.isEmpty ? ["Theme": "a"] : ["Theme": "b", "Size": 1]))
      #expect(agent.problems == [])
    }
  }

  // M-5
  @Test func `newer values apply although the state can't be saved, and none is lifted`() throws {
    let host = FaultHost()
    let path = FaultHost.system + "/managed/com.example.app.plist"
    var agent = host.agent()
    func publish(_ number: Int64, _ values: [String: PropertyListValue]) throws -> String? {
      let policy = try Policy.sample(
        "all", values.mapValues { PolicyEntry($0) }, number: number)
      agent.adopt(try .sample([policy], of: "web1", revision: number))
      agent.apply()
      let now = try PropertyList.decode(try #require(host.files[path])).value
      return now == .dictionary(values) ? nil : "\(now)"
    }
    #expect(try publish(1, ["Theme": "a", "Size": 1]) == nil)
    host.machine.error = { _, name, _ in name.hasPrefix("create \(FaultHost.state)") ? 28 : nil }
    #expect(try publish(2, ["Theme": "b", "Size": 1, "New": 2]) == nil)
    #expect(agent.problems.count == 1, "\(agent.problems)")
    #expect(try publish(3, ["Theme": "c"]) != nil)
    #expect(agent.problems.count == 2, "\(agent.problems)")
    host.machine.error = nil
    #expect(try publish(3, ["Theme": "c"]) == nil)
    #expect(agent.problems == [])
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
