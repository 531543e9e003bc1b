import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// What is in the store, and what comes back from it.
struct RecordTests {
  private let key = "/cfg/v1/live/group:build/com.example.app"

  private func decode(
    _ entries: [String: PropertyListValue], key: String? = nil
  ) throws -> (policy: Policy, problems: [FleetProblem]) {
    try Policy.decode(
      try Record.bytes(.dictionary(entries), at: ""), key: key ?? self.key)
  }

  private func stable(_ content: [String: PropertyListValue]) -> [String: PropertyListValue] {
    [
      "domain": "com.example.app", "lastNumber": 3,
      "stable": .dictionary(content.merging(["number": 3]) { $1 }),
    ]
  }

  // M-6
  @Test func `a policy comes back as it was written`() throws {
    var policy = try PolicyFixture.policy(
      "group:build", priority: -4,
      [
        "a": PolicyEntry(1, isEnforced: true, reason: "why"),
        "b": PolicyEntry(["x": [1, 2]], .recommended, until: PolicyFixture.date(7)),
        "c": PolicyEntry(.data([1]), .once),
      ], number: 8)
    policy.lastNumber = 9
    policy.candidate = Policy.Candidate(
      PolicyFixture.version(9, PolicyContent(entries: ["a": PolicyEntry(2)])), .share(500))
    let (back, problems) = try Policy.decode(try policy.bytes(), key: key)
    #expect(back == policy)
    #expect(problems == [])
  }

  // M-6
  @Test(arguments: [
    ("/cfg/v1/live/all/x", "all", "x"), ("/cfg/v1/live/os:debian/x", "os:debian", "x"),
    ("/cfg/v1/live/group:b/.GlobalPreferences", "group:b", ".GlobalPreferences"),
  ]) func `the keys of policies have their layers and domains`(
    key: String, layer: String, file: String
  ) throws {
    let part = try #require(FleetKey.livePart(of: key))
    #expect(part.layer.text == layer)
    #expect(part.fileName == file)
    #expect(FleetKey.allPolicies.contains(key))
    #expect(FleetKey.policies(of: part.layer).contains(key))
    #expect(FleetKey.policies(of: part.layer.kind).contains(key))
  }

  // M-12
  @Test(arguments: [
    "/cfg/v1/live/", "/cfg/v1/live/all", "/cfg/v1/live/all/", "/cfg/v1/live/all/x/y",
    "/cfg/v1/live/all:x/y", "/cfg/v1/live/group:/y", "/cfg/v1/live/group:../y",
    "/cfg/v1/live/planet:x/y", "/cfg/v1/live/host:-x/y", "/cfg/v2/live/all/x", "",
  ]) func `other keys are no policies`(key: String) {
    #expect(FleetKey.livePart(of: key) == nil)
  }

  // M-7
  @Test func `unknown and badly typed entries are left out and reported, and the rest counts`()
    throws
  {
    let (policy, problems) = try decode(
      stable([
        "forced": ["Theme": "dark", "": 1], "recommended": 7, "planet": "x", "priority": "high",
        "enforced": ["Nothing"], "reasons": ["Theme": 7],
      ]))
    #expect(policy.stable?.content == PolicyContent(entries: ["Theme": PolicyEntry("dark")]))
    #expect(problems.count == 6)
  }

  // M-7
  @Test func `a value whose end can't be read is left out, since it would never end`() throws {
    let (policy, problems) = try decode(
      stable(["forced": ["a": 1, "b": 2], "until": ["a": "tomorrow"]]))
    #expect(policy.stable?.content.entries.keys.sorted() == ["b"])
    #expect(problems.count == 1)
  }

  // M-12
  @Test(arguments: ["stable", "candidate"])
  func `a policy whose version can't be read is none without values`(entry: String) throws {
    var entries = stable(["forced": ["a": 1]])
    entries[entry] = .array([1])
    let error = #expect(throws: FleetProblem.self) { try decode(entries) }
    #expect(error?.text.contains("the entry \(entry) is not a dictionary") == true)
  }

  // M-12
  @Test func `a policy that names another domain than its key is refused`() throws {
    for domain in ["other", "../com.example.app", "/etc/passwd", "/dev/sda", "", "a\0b"] {
      var entries = stable([:])
      entries["domain"] = .string(domain)
      #expect(throws: FleetProblem.self) { try decode(entries) }
    }
  }

  // M-12
  @Test func `a domain that leads elsewhere becomes a file name that does not`() throws {
    let name = try PolicyFixture.name("all", "../../etc/passwd")
    #expect(!name.fileName.contains("/"))
    #expect(!name.fileName.hasPrefix("."))
    var entries = stable([:])
    entries["domain"] = .string("../../etc/passwd")
    let (policy, _) = try decode(entries, key: FleetKey.live(name).text)
    #expect(policy.name == name)
  }

  // M-12
  @Test func `a value that is too deep or a policy that is too large is refused`() throws {
    var value: PropertyListValue = 1
    for _ in 0..<300 { value = [value] }
    let (policy, problems) = try decode(stable(["forced": ["a": value, "b": 1]]))
    #expect(policy.stable?.content.entries.keys.sorted() == ["b"])
    #expect(problems.count == 1)
    let large = stable(["forced": ["a": .data([UInt8](repeating: 0, count: 70_000))]])
    #expect(throws: FleetProblem.self) { try decode(large) }
    let many = Dictionary(
      uniqueKeysWithValues: (0..<20_000).map { ("k\($0)", PropertyListValue(1)) })
    #expect(throws: FleetProblem.self) { try decode(stable(["forced": .dictionary(many)])) }
  }

  // M-12
  @Test func `random damage of a policy never ends the program`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let bytes = try PolicyFixture.policy(
      "group:build", ["a": PolicyEntry(["x": 1]), "b": PolicyEntry("y", .once)]
    ).bytes()
    var refused = 0
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      do { _ = try Policy.decode(damaged, key: key) } catch { refused += 1 }
    }
    #expect(refused > 1_000, "seed \(seed)")
  }

  // M-6
  @Test func `a host's record comes back, and names that can't be layers are reported`() throws {
    let record = HostRecord(
      groups: ["a", "b"], users: ["ann"], labels: ["rack": "7"], ring: 2, os: "debian")
    let (back, problems, isWhole) = try HostRecord.decode(try record.bytes(of: "h"), of: "h")
    #expect(back == record)
    #expect(problems == [] && isWhole)
    let bad = HostRecord(groups: ["../x", "ok"], users: ["a/b", ""])
    let (left, others, isLeftWhole) = try HostRecord.decode(try bad.bytes(of: "h"), of: "h")
    #expect(left.groups == ["ok"])
    #expect(left.users == [])
    #expect(others.count == 3 && !isLeftWhole)
  }

  // M-8
  @Test func `a status comes back, with a limited number of problems`() throws {
    var status = HostStatus(
      agent: "1", os: "debian", revision: 7, time: PolicyFixture.date(3), versions: ["all/x": 2],
      problems: ["p"])
    #expect(try HostStatus.decode(try status.bytes(of: "h"), of: "h") == status)
    status.problems = (0..<1_000).map { "\($0) " + String(repeating: "x", count: 9_000) }
    let back = try HostStatus.decode(try status.bytes(of: "h"), of: "h")
    #expect(back.problems.count == HostStatus.problemsMax)
    #expect(back.problems.allSatisfy { $0.count == HostStatus.problemSizeMax })
  }

  // M-8
  @Test func `a policy is a file in the directory of its layer`() throws {
    let json = Array(
      #"{"forced": {"Theme": "dark"}, "until": {"Theme": "2030-01-01"}, "priority": 2}"#.utf8)
    for path in ["group:build/com.example.app.json", "group/build/com.example.app.json"] {
      let file = try PolicyFile(json, path: path)
      #expect(file.name == (try PolicyFixture.name("group:build")))
      #expect(file.content.priority == 2)
      #expect(file.content.entries["Theme"]?.until != nil)
    }
  }

  // M-8
  @Test(arguments: [
    ("com.example.app.json", "{}"), ("planet/x.json", "{}"), ("all/x.txt", "{}"),
    ("group/a/b/x.json", "{}"), ("all/x.json", "[]"), ("all/x.json", "{"),
    ("all/x.json", #"{"force": {}}"#), ("all/x.json", #"{"forced": {"a": 1}, "once": {"a": 2}}"#),
    ("user/ann/x.json", #"{"recommended": {"a": 1}}"#), ("all/.json", "{}"),
  ]) func `a file that is not a policy is refused with its path`(path: String, text: String) {
    let problem = #expect(throws: FleetProblem.self) {
      try PolicyFile(Array(text.utf8), path: path)
    }
    #expect(problem?.place == path)
  }

  // M-7, M-12
  @Test func `of a value that is left out, one reason is reported, and not that it is missing`()
    throws
  {
    let key = String(repeating: "k", count: 100_000)
    for (layer, name) in [("user:ann", "Size"), ("all", ""), ("all", key)] {
      let level = layer == "all" ? "forced" : "recommended"
      let (content, problems) = PolicyContent.decode(
        [
          level: [name: 2, "other": 1], "enforced": [.string(name)],
          "reasons": [name: "because"],
          "until": [name: .date(PropertyListDate(secondsSinceReference: 9))],
        ], for: try #require(PolicyLayer(layer)), at: "here")
      #expect(content.entries.keys.sorted() == (layer == "all" ? ["other"] : []))
      #expect(problems.count == (layer == "all" ? 1 : 2), "\(problems)")
      #expect(!problems.contains { $0.text.contains("there is no value") })
    }
  }

  // M-8, D-8
  @Test(arguments: ["a\u{600}", "\u{301}a"])
  func `the path of a policy's file is split by bytes`(name: String) throws {
    let file = try PolicyFile(Array("{}".utf8), path: "all/\(name).json")
    #expect(FileName(file.name.domain.name) == FileName(name))
  }
}
