import FleetAgent
import FleetModel
import Foundation
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage
import Testing

/// What an agent does to the files of its host.
struct AgentTests {
  private let host: HostFixture
  private let app = "managed/com.example.app.plist"

  init() throws { host = try HostFixture() }

  private func run(_ agent: inout Agent, _ snapshot: StoreSnapshot) {
    agent.adopt(snapshot)
    agent.apply()
  }

  // M-5 M-7
  @Test func `forced and recommended values are in the administrator's files, for all to read`()
    throws
  {
    var agent = host.agent()
    run(
      &agent,
      try host.snapshot([
        try host.policy(
          "all", ["Theme": PolicyEntry("dark"), "Size": PolicyEntry(2, .recommended)]),
        try host.policy("os:debian", ["Theme": PolicyEntry("light")]),
      ]))
    #expect(try host.values(app) == ["Theme": "light"])
    #expect(try host.values("recommended/com.example.app.plist") == ["Size": 2])
    #expect(agent.problems == [])
    let status = try #require(try SystemFileSystem().status(of: "\(host.system)/\(app)"))
    #expect(status.mode & 0o777 == 0o644)
    let surroundings = agent.settings.surroundings
    let paths = StorePaths(
      identifier: "com.example.app", in: host.system + "/managed", for: .everyone)
    #expect(Trust(in: Places(of: surroundings)).distrust(of: paths) == nil)
  }

  // M-5
  @Test func `only what a user's own policy decides is in the user's file`() throws {
    var agent = host.agent()
    run(
      &agent,
      try host.snapshot(
        [
          try host.policy(
            "all", ["Theme": PolicyEntry("a", isEnforced: true), "Size": PolicyEntry(1)]),
          try host.policy("user:ann", ["Theme": PolicyEntry("u"), "Size": PolicyEntry(2)]),
        ], HostRecord(users: ["ann"])))
    #expect(try host.values(app) == ["Theme": "a", "Size": 1])
    #expect(try host.values("managed/users/ann/com.example.app.plist") == ["Size": 2])
  }

  // M-10
  @Test func `beside a file is why it has its values`() throws {
    var agent = host.agent()
    run(
      &agent,
      try host.snapshot([
        try host.policy("all", ["Theme": PolicyEntry("dark")], number: 3),
        try host.policy("host:web1", ["Theme": PolicyEntry("light", reason: "loaned")], number: 5),
      ]))
    let provenance = try #require(Provenance.read(besidePlist: "\(host.system)/\(app)"))
    let entry = try #require(provenance.entry(forKey: "Theme", value: "light"))
    #expect(entry.policy == "host:web1/com.example.app")
    #expect(entry.version == 5)
    #expect(entry.reason == "loaned")
    #expect(entry.overrode == ["all/com.example.app version 3"])
    #expect(provenance.entry(forKey: "Theme", value: "dark") == nil)
  }

  // M-5
  @Test func `a version without values lifts a policy, and nothing else does`() throws {
    var agent = host.agent()
    let policy = try host.policy("all", ["Theme": PolicyEntry("dark")])
    run(&agent, try host.snapshot([policy]))
    run(&agent, try host.snapshot([]))
    #expect(try host.values(app) == ["Theme": "dark"])
    #expect(agent.problems.count == 1)
    agent.adopt(
      WatchBatch(
        revision: 50, events: [.deleted(key: FleetKey.live(policy.name).text, revision: 50)]))
    agent.apply()
    #expect(try host.values(app) == ["Theme": "dark"])
    run(&agent, try host.snapshot([try host.policy("all", [:], number: 2)]))
    #expect(try host.values(app) == nil)
    #expect(Provenance.read(besidePlist: "\(host.system)/\(app)") == nil)
    #expect(agent.problems == [])
  }

  // M-5, D-8
  @Test func `a policy is lifted whose domain's name joins the dot of its file`() throws {
    let (domain, folder) = ("a\u{600}", "\(host.system)/managed")
    let files = { try FileManager.default.contentsOfDirectory(atPath: folder) }
    var agent = host.agent()
    let policy = try host.policy("all", ["Size": PolicyEntry(1)], domain: domain)
    run(&agent, try host.snapshot([policy]))
    #expect(try files().count == 2)
    var other = host.agent()
    run(&other, try host.snapshot([try host.policy("all", [:], number: 2, domain: domain)]))
    #expect(try files() == [])
  }

  // M-5
  @Test func `a policy for the global domain is lifted like any other`() throws {
    let (global, folder) = ("NSGlobalDomain", "\(host.system)/managed")
    let files = { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    var agent = host.agent()
    run(
      &agent, try host.snapshot([try host.policy("all", ["Size": PolicyEntry(1)], domain: global)]))
    #expect(try files() == [".GlobalPreferences.plist", ".GlobalPreferences.provenance"])
    for ending in ["plist", "provenance"] {
      try host.write("half", to: "managed/..GlobalPreferences.\(ending).1a.new")
    }
    var next = host.agent()
    run(&next, try host.snapshot([try host.policy("all", [:], number: 2, domain: global)]))
    #expect(try files() == [])
    #expect(next.problems == [])
  }

  // M-5
  @Test func `an agent that lost its state lifts nothing that the store does not say`() throws {
    var agent = host.agent()
    run(
      &agent,
      try host.snapshot([
        try host.policy("all", ["Theme": PolicyEntry("dark")]),
        try host.policy("os:debian", ["Size": PolicyEntry(1)]),
      ]))
    try FileManager.default.removeItem(atPath: host.stateFile)
    var next = host.agent()
    next.apply()
    #expect(try host.values(app) == ["Theme": "dark", "Size": 1])
    run(
      &next, try host.snapshot([try host.policy("os:debian", ["Size": PolicyEntry(2)], number: 2)]))
    #expect(try host.values(app) == ["Theme": "dark", "Size": 2])
    #expect(next.problems.count == 1)
  }

  // M-5
  @Test func `leaving a group ends its policies`() throws {
    var agent = host.agent()
    let policies = [try host.policy("group:build", ["Theme": PolicyEntry("dark")])]
    run(&agent, try host.snapshot(policies, HostRecord(groups: ["build"])))
    // The record comes in the same snapshot as the policies of its groups, or before.
    run(&agent, try host.snapshot(policies, HostRecord(groups: ["build"])))
    #expect(try host.values(app) == ["Theme": "dark"])
    run(&agent, try host.snapshot([], HostRecord()))
    #expect(try host.values(app) == nil)
  }

  // M-5
  @Test func `without state and record, what groups and users have stays in force`() throws {
    var agent = host.agent()
    let policies = [
      try host.policy("group:build", ["Theme": PolicyEntry("dark")]),
      try host.policy("user:ann", ["Size": PolicyEntry(1)]),
    ]
    run(&agent, try host.snapshot(policies, HostRecord(groups: ["build"], users: ["ann"])))
    try FileManager.default.removeItem(atPath: host.stateFile)
    var next = host.agent()
    run(&next, try host.snapshot([]))
    #expect(try host.values(app) == ["Theme": "dark"])
    #expect(try host.values("managed/users/ann/com.example.app.plist") == ["Size": 1])
    #expect(next.problems.count == 2)
    run(&next, try host.snapshot([], HostRecord()))
    #expect(try host.values(app) == nil)
    #expect(next.problems == [])
  }

  // M-3 M-5
  @Test func `a host that leaves a group and joins it again, in one batch, keeps its policies`()
    throws
  {
    var agent = host.agent()
    let policy = { number in
      try host.policy("group:build", ["Theme": PolicyEntry(.integer(number))], number: number)
    }
    run(&agent, try host.snapshot([policy(1)], HostRecord(groups: ["build"])))
    let snapshots = [
      try host.snapshot([], HostRecord()), try host.snapshot([policy(2)]),
      try host.snapshot([], HostRecord(groups: ["build"])),
    ]
    let events = snapshots.flatMap { $0.values.map { WatchBatch.Event.put($0) } }
    agent.adopt(WatchBatch(revision: 5, events: events))
    agent.apply()
    #expect(try host.values(app) == ["Theme": 2])
    #expect(agent.problems == [])
    // Leaving for good, it does not complain of what it was still told of the group.
    agent.adopt(WatchBatch(revision: 7, events: [events[0], events[1]]))
    agent.apply()
    #expect(try host.values(app) == nil)
    #expect(agent.problems == [])
  }

  // M-5
  @Test func `an agent starts from its state, without the store`() throws {
    var agent = host.agent()
    run(
      &agent,
      try host.snapshot([
        try host.policy(
          "all",
          ["Theme": PolicyEntry("dark", until: PropertyListDate(secondsSinceReference: 100))])
      ]))
    #expect(try host.values(app) == ["Theme": "dark"])
    host.now = 100
    var next = host.agent()
    next.apply()
    #expect(try host.values(app) == nil)
    #expect(next.status.versions == ["all/com.example.app": 1])
  }

  // M-5
  @Test func `a file made by hand is left alone and reported`() throws {
    try host.write("{ Theme = mine; }", to: app)
    var agent = host.agent()
    run(&agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark")])]))
    #expect(try host.values(app) == ["Theme": "mine"])
    #expect(agent.problems.count == 1)
    run(&agent, try host.snapshot([try host.policy("all", [:], number: 2)]))
    #expect(try host.values(app) == ["Theme": "mine"])
    #expect(agent.problems == [])
  }

  // M-5
  @Test func `nothing is written where others could write, and it is reported`() throws {
    try FileManager.default.createDirectory(
      atPath: host.system + "/managed", withIntermediateDirectories: true)
    chmod(host.system + "/managed", 0o777)
    var agent = host.agent()
    run(&agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark")])]))
    #expect(try host.values(app) == nil)
    #expect(agent.problems.count == 1)
  }

  // M-5
  @Test func `a link that a user has planted is not followed`() throws {
    try FileManager.default.createDirectory(
      atPath: host.system + "/managed", withIntermediateDirectories: true)
    let victim = host.directory + "/victim"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
    try FileManager.default.createSymbolicLink(
      atPath: "\(host.system)/\(app)", withDestinationPath: victim)
    var agent = host.agent()
    run(&agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark")])]))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(agent.problems.count == 1)
  }

  // M-12
  @Test func `of a policy that can't be read, the last valid form stays in force`() throws {
    var agent = host.agent()
    let policy = try host.policy("all", ["Theme": PolicyEntry("dark")])
    run(&agent, try host.snapshot([policy]))
    let key = FleetKey.live(policy.name).text
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
      agent.adopt(
        WatchBatch(
          revision: 9, events: [.put(StoredValue(key: key, value: bytes, revision: 9))]))
      agent.apply()
      #expect(try host.values(app) == ["Theme": "dark"])
      #expect(agent.problems.count == 1)
    }
  }

  // M-12
  @Test(arguments: ["live/all/com.example.app", "host/web1"])
  func `what is wrong with a value is not reported any more once its key is deleted`(
    path: String
  ) throws {
    var agent = host.agent()
    run(&agent, try host.snapshot([]))
    let damaged = StoredValue(key: FleetKey.root + path, value: [1, 2, 3], revision: 9)
    agent.adopt(WatchBatch(revision: 9, events: [.put(damaged)]))
    #expect(agent.problems.count == 1)
    agent.adopt(WatchBatch(revision: 10, events: [.deleted(key: damaged.key, revision: 10)]))
    #expect(agent.problems == [])
  }

  // M-12
  @Test(arguments: ["groups", "users", "ring", "os"])
  func `of a record that can't be read as a whole, the last valid form stays in force`(
    entry: String
  ) throws {
    let record = HostRecord(groups: ["build"], users: ["ann"], ring: 1)
    let policies = [
      try host.policy("os:debian", ["Theme": PolicyEntry("a")]),
      try host.policy("group:build", ["Size": PolicyEntry(1)]),
      try host.policy("user:ann", ["Size": PolicyEntry(2)]),
    ]
    func value(_ entry: String, _ new: PropertyListValue) throws -> StoredValue {
      var entries = try #require(
        try PropertyList.decode(try record.bytes(of: "web1")).value.dictionaryValue)
      entries[entry] = new
      let bytes = try PropertyList.encode(.dictionary(entries), as: .binary)
      return StoredValue(key: FleetKey.host("web1").text, value: bytes, revision: 9)
    }
    func expectAll(_ agent: Agent, problems: Int) throws {
      #expect(try host.values(app) == ["Theme": "a", "Size": 1])
      #expect(try host.values("managed/users/ann/com.example.app.plist") == ["Size": 2])
      #expect(agent.problems.count == problems, "\(agent.problems)")
    }
    var agent = host.agent()
    run(&agent, try host.snapshot(policies, record))
    try expectAll(agent, problems: 0)
    let damaged = try value(entry, .data([7]))
    agent.adopt(WatchBatch(revision: 9, events: [.put(damaged)]))
    agent.apply()
    try expectAll(agent, problems: 1)
    #expect(agent.state.facts.record == record)
    // Nor is it taken for one that says all where nothing is known.
    try FileManager.default.removeItem(atPath: host.stateFile)
    var next = host.agent()
    next.adopt(StoreSnapshot(revision: 10, values: [damaged]))
    next.apply()
    #expect(try host.values(app) == ["Theme": "a", "Size": 1])
    #expect(try host.values("managed/users/ann/com.example.app.plist") == ["Size": 2])
    // One with more entries than are known says all that is known.
    next.adopt(StoreSnapshot(revision: 11, values: [try value("groups", [])]))
    next.adopt(
      WatchBatch(revision: 12, events: [.put(try value("colour", "red"))]))
    next.apply()
    #expect(next.state.facts.record == record)
  }

  // M-12
  @Test func `an older version than the one in force is refused`() throws {
    var agent = host.agent()
    run(
      &agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("new")], number: 5)]))
    run(
      &agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("old")], number: 4)]))
    #expect(try host.values(app) == ["Theme": "new"])
    #expect(agent.problems.count == 1)
  }

  // M-12
  @Test func `policies and records of others are refused`() throws {
    var agent = host.agent()
    let other = FleetKey.host("web2").text
    agent.adopt(
      StoreSnapshot(
        revision: 1,
        values: [
          StoredValue(
            key: other, value: try HostRecord(groups: ["build"]).bytes(of: "web2"), revision: 1)
        ]))
    agent.adopt(try host.snapshot([try host.policy("host:web2", ["Theme": PolicyEntry("x")])]))
    agent.apply()
    #expect(agent.state.facts.record == HostRecord())
    #expect(try host.values(app) == nil)
    #expect(agent.problems.count >= 1)
  }

  // M-7
  @Test func `a value for once is set once per version, and then the user's own counts`() throws {
    host.users = ["ann"]
    var agent = host.agent()
    run(&agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark", .once)])]))
    let store = Store.open(
      StorePaths(identifier: "com.example.app", in: host.directory + "/home/.config/defaults"))
    #expect(store.value(forKey: "Theme") == "dark")
    try store.set("mine", forKey: "Theme")
    var next = host.agent()
    next.apply()
    run(&next, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark", .once)])]))
    #expect(store.value(forKey: "Theme") == "mine")
    run(
      &next,
      try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark", .once)], number: 2)]))
    #expect(store.value(forKey: "Theme") == "dark")
    #expect(next.problems == [])
  }

  // M-12
  @Test func `a state that can't be read is kept, and the store's policies apply`() throws {
    try FileManager.default.createDirectory(
      atPath: host.directory + "/state", withIntermediateDirectories: true)
    try Data("rubbish".utf8).write(to: URL(fileURLWithPath: host.stateFile))
    var agent = host.agent()
    #expect(agent.problems.count == 1)
    run(&agent, try host.snapshot([try host.policy("all", ["Theme": PolicyEntry("dark")])]))
    #expect(try host.values(app) == ["Theme": "dark"])
    #expect(
      try String(contentsOfFile: host.stateFile + ".unreadable", encoding: .utf8) == "rubbish")
  }
}
