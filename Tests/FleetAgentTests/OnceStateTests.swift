import FleetModel
import Foundation
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

@testable import FleetAgent

/// What an agent remembers of values that were set once.
struct OnceStateTests {
  private let host: HostFixture
  private let store: Store

  init() throws {
    host = try HostFixture()
    host.users = ["ann"]
    store = Store.open(
      StorePaths(identifier: "com.example.app", in: host.directory + "/home/.config/defaults"))
  }

  private func run(
    _ agent: inout Agent, _ policies: [Policy], _ record: HostRecord? = nil
  ) throws {
    agent.adopt(try host.snapshot(policies, record))
    agent.apply()
  }

  private func once(
    _ layer: String, _ value: PropertyListValue, number: Int64 = 1, published: Double = 0
  ) throws -> Policy {
    var policy = try host.policy(layer, ["Theme": PolicyEntry(value, .once)], number: number)
    policy.stable?.published = PropertyListDate(secondsSinceReference: published)
    return policy
  }

  // M-7, D-28
  @Test func `a user keeps what Foundation has stored, though the agent is first`() throws {
    let domain = "com.example.first"
    let home = host.directory + "/home/.config"
    let old = URL(fileURLWithPath: "\(home)/\(domain).plist")
    try FileManager.default.createDirectory(
      at: old.deletingLastPathComponent(), withIntermediateDirectories: true)
    let values: PropertyListValue = ["Theme": "mine", "Size": 12]
    try Data(try PropertyList.encode(values, as: .binary)).write(to: old)
    var agent = host.agent()
    let entries = [
      "Theme": PolicyEntry("dark", .once), "Font": PolicyEntry("Mono", .once),
    ]
    try run(&agent, [try host.policy("all", entries, domain: domain)])
    #expect(agent.problems == [])
    let store = Store.open(StorePaths(identifier: domain, in: home + "/defaults"))
    #expect(store.snapshot().values == ["Theme": "dark", "Size": 12, "Font": "Mono"])
  }

  // M-7
  @Test func `of versions that can't be in force again, nothing is remembered`() throws {
    var agent = host.agent()
    for number in Int64(1)...20 {
      try run(&agent, [try once("all", .integer(number), number: number)])
      #expect(agent.state.done.count == 1)
    }
    #expect(store.value(forKey: "Theme") == 20)
  }

  // M-7
  @Test func `a candidate that is taken back sets nothing again`() throws {
    var agent = host.agent()
    let stable = try once("all", "stable")
    try run(&agent, [stable])
    var candidate = stable
    candidate.candidate = Policy.Candidate(
      Policy.Version(
        number: 2, author: "ann", reason: "a test", published: .init(secondsSinceReference: 0),
        content: PolicyContent(entries: ["Theme": PolicyEntry("candidate", .once)])),
      .share(Rollout.shareMax))
    candidate.lastNumber = 2
    try run(&agent, [candidate])
    #expect(store.value(forKey: "Theme") == "candidate")
    try store.set("mine", forKey: "Theme")
    candidate.candidate = nil
    try run(&agent, [candidate])
    #expect(store.value(forKey: "Theme") == "mine")
    #expect(agent.state.done.count == 1)
    #expect(agent.problems == [])
  }

  // M-7
  @Test func `a group that a host joins again sets nothing again`() throws {
    var agent = host.agent()
    let (member, other) = (HostRecord(groups: ["build"]), HostRecord())
    try run(&agent, [try once("group:build", "dark", number: 3)], member)
    try run(&agent, [try once("group:build", "dark", number: 3)], member)
    #expect(store.value(forKey: "Theme") == "dark")
    try store.set("mine", forKey: "Theme")
    try run(&agent, [try once("all", "other")], other)
    #expect(store.value(forKey: "Theme") == "other")
    try store.set("mine", forKey: "Theme")
    var next = host.agent()
    let both = [try once("group:build", "dark", number: 3), try once("all", "other")]
    for _ in 0..<2 { try run(&next, both, member) }
    #expect(store.value(forKey: "Theme") == "mine")
    for _ in 0..<2 { try run(&next, [try once("group:build", "new", number: 4)], member) }
    #expect(store.value(forKey: "Theme") == "new")
  }

  // M-7
  @Test func `of groups that a host has left, those are forgotten first that it left first`()
    throws
  {
    var state = AgentState(host: "web1", os: nil)
    state.adopt(try host.snapshot([try once("all", "dark")]))
    state.done = ["ann\ncom.example.app\nTheme\nall/com.example.app\n1", "no value's text"]
    let half = AgentState.departedMax / 2
    for group in ["g2", "g1", "g3"] {
      for number in 0..<half {
        state.done.insert("ann\nd\nkey\n\(number)\ngroup:\(group)/d\n1")
      }
      state.forgetPastOnce()
      // The order is not lost with a restart.
      state = try AgentState.decode(try state.bytes(), host: "web1", os: nil).state
    }
    #expect(!state.done.contains { $0.contains("group:g2") })
    #expect(state.done.count == 2 * half + 2)
  }

  // M-7, M-12
  @Test(arguments: ["rubbish", "another host", "a damaged entry"])
  func `after a state that can't be read, a value is set once only where the user has none`(
    damage: String
  ) throws {
    var agent = host.agent()
    host.now = 5
    try run(&agent, [try once("all", "dark")])
    #expect(store.value(forKey: "Theme") == "dark")
    try store.set("mine", forKey: "Theme")
    try self.damage(damage)
    var next = host.agent()
    #expect(next.problems.count == 1)
    var policies = [try once("all", "dark")]
    policies[0].stable?.content.entries["Size"] = PolicyEntry(2, .once)
    try run(&next, policies)
    #expect(store.snapshot().values == ["Theme": "mine", "Size": 2])
    // A restart later, this still holds for what was published before.
    host.now = 10
    try store.set(3, forKey: "Size")
    var last = host.agent()
    policies.append(try once("os:debian", "light", published: 4))
    try run(&last, policies)
    #expect(store.snapshot().values == ["Theme": "mine", "Size": 3])
    #expect(last.problems == [])
    try run(&last, [try once("os:debian", "light", number: 2, published: 6)])
    #expect(store.value(forKey: "Theme") == "light")
  }

  // M-7
  @Test(arguments: [nil, "mine"] as [PropertyListValue?])
  func `what an agent that died had not set yet is set, also if another policy came before it`(
    users: PropertyListValue?
  ) throws {
    var agent = host.agent()
    try run(&agent, [])
    // As just before it is set.
    let file = WholeFile(host.stateFile)
    var entries = try entries(file)
    entries["pending"] = ["ann\ncom.example.app\nTheme\nall/com.example.app\n1": []]
    try file.replace(by: try PropertyList.encode(.dictionary(entries), as: .binary))
    agent = host.agent()
    try #require(agent.state.pending.count == 1)
    if let users { try store.set(users, forKey: "Theme") }
    let earlier = try once("all", "dark")
    try run(&agent, [earlier, try once("host:web1", "light")])
    #expect(store.value(forKey: "Theme") == "light")
    agent = host.agent()
    #expect(agent.state.pending == [:])
    try run(&agent, [earlier, try host.policy("host:web1", [:], number: 2)])
    // The user's is taken for one that was set since.
    #expect(store.value(forKey: "Theme") == (users == nil ? "dark" : "light"))
  }

  private func entries(_ file: WholeFile) throws -> [String: PropertyListValue] {
    let bytes = try #require(try file.read())
    return try #require(PropertyList.decode(bytes).value.dictionaryValue)
  }

  private func damage(_ damage: String) throws {
    let file = WholeFile(host.stateFile)
    var entries = try entries(file)
    switch damage {
    case "rubbish": return try file.replace(by: Array(damage.utf8))
    case "another host": entries["host"] = "web2"
    default: entries["done"] = [7]
    }
    try file.replace(by: try PropertyList.encode(.dictionary(entries), as: .binary))
  }

  // M-12
  @Test func `of a damaged state, what can be read is used, and all files are kept`() throws {
    var agent = host.agent()
    try run(
      &agent, [try once("all", "dark"), try host.policy("os:debian", ["a": PolicyEntry(1)])])
    let done = agent.state.done
    for count in 1...3 {
      let file = WholeFile(host.stateFile)
      var entries = try entries(file)
      entries["pending"] = .integer(Int64(count))
      let bytes = try PropertyList.encode(.dictionary(entries), as: .binary)
      try file.replace(by: bytes)
      // Twice, without the store in between: it is the same file.
      for _ in 0..<2 {
        let next = host.agent()
        #expect(next.problems.count == 1)
        #expect(next.state.done == done && next.state.policies.count == 2)
      }
      var next = host.agent()
      next.apply()
      let name = host.stateFile + ".unreadable" + (count == 1 ? "" : "-\(count)")
      #expect(try WholeFile(name).read() == bytes)
    }
    #expect(try WholeFile(host.stateFile + ".unreadable-4").read() == nil)
  }

  // M-12
  @Test func `a version for all hosts that is older than the known one is refused`() throws {
    var agent = host.agent()
    try run(&agent, [try once("all", "new", number: 5)])
    var older = try once("all", "old", number: 4)
    older.lastNumber = 5
    try store.set("mine", forKey: "Theme")
    try run(&agent, [older])
    #expect(store.value(forKey: "Theme") == "mine")
    #expect(agent.problems.count == 1)
  }
}
