import FleetAgent
import FleetModel
import Foundation
import Glibc
import StrataPropertyList
import StrataStorage
import Testing

/// The directories that an agent makes.
struct ManagedDirectoryTests {
  /// The modes of the directories, after an agent has written a policy for all and one for a user.
  private static func modes(_ host: HostFixture) throws -> [UInt32] {
    var agent = host.agent()
    agent.adopt(
      try host.snapshot(
        [
          try host.policy("all", ["Theme": PolicyEntry("dark")]),
          try host.policy("user:ann", ["Theme": PolicyEntry("light")]),
        ], HostRecord(users: ["ann"])))
    agent.apply()
    #expect(agent.problems == [])
    return try ["", "/managed", "/managed/users", "/managed/users/ann"].map {
      try #require(try SystemFileSystem().status(of: host.system + $0)).mode & 0o777
    }
  }

  // M-8
  @Test(arguments: ["managed/com.example.app.plist", "recommended/com.example.app.plist"])
  func `a policy of which a file can't be written is not reported as one that is in force`(
    path: String
  ) throws {
    let host = try HostFixture()
    try host.write("<plist><dict/></plist>", to: path)
    var agent = host.agent()
    agent.adopt(
      try host.snapshot([
        try host.policy(
          "all", ["A": PolicyEntry(1), "B": PolicyEntry(2, .recommended)], number: 3),
        try host.policy("os:debian", ["A": PolicyEntry(1)], number: 4, domain: "com.example.other"),
      ]))
    agent.apply()
    let (app, other) = ("all/com.example.app", "os:debian/com.example.other")
    #expect(agent.problems.count == 1)
    #expect(agent.status.versions == [other: 4])
    #expect(agent.status.lastNumbers == [app: 3])
    try FileManager.default.removeItem(atPath: "\(host.system)/\(path)")
    agent.apply()
    #expect(agent.problems == [])
    #expect(agent.status.versions == [app: 3, other: 4])
    #expect(agent.status.lastNumbers == [:])
  }

  // M-8
  @Test func `a file of one user's is about that user's policy, and one that ends, too`() throws {
    let host = try HostFixture()
    let record = HostRecord(users: ["ann"])
    let (all, user) = ("all/com.example.app", "user:ann/com.example.app")
    let path = "managed/users/ann/com.example.app.plist"
    var agent = host.agent()
    func policies(_ number: Int64, _ entries: [String: PolicyEntry]) throws -> [Policy] {
      [
        try host.policy("all", ["A": PolicyEntry(1)], number: 3),
        try host.policy("user:ann", entries, number: number),
      ]
    }
    try host.write("<plist><dict/></plist>", to: path)
    agent.adopt(try host.snapshot(try policies(1, ["A": PolicyEntry(2)]), record))
    agent.apply()
    #expect(agent.status.versions == [all: 3])
    try FileManager.default.removeItem(atPath: "\(host.system)/\(path)")
    agent.apply()
    #expect(agent.status.versions == [all: 3, user: 1])
    // Its values are to end, and can't.
    let folder = Path.directory(of: "\(host.system)/\(path)")
    chmod(folder, 0o777)
    agent.adopt(try host.snapshot(try policies(2, [:]), record))
    agent.apply()
    #expect(try host.values(path) == ["A": 2])
    #expect(agent.status.versions == [all: 3])
    #expect(agent.status.lastNumbers == [user: 2])
    chmod(folder, 0o755)
    agent.apply()
    #expect(agent.status.versions == [all: 3, user: 2])
  }

  // M-5
  @Test func `everyone can read the files, whatever the umask of the agent is`() async {
    await #expect(processExitsWith: .success) {
      umask(0o077)
      let modes = try ManagedDirectoryTests.modes(try HostFixture())
      #expect(modes == [0o755, 0o755, 0o755, 0o755])
    }
  }

  // M-5
  @Test func `a directory whose maker died before all could read it is completed`() throws {
    let host = try HostFixture()
    try #require(mkdir(host.system, 0o755) == 0 && mkdir(host.system + "/managed", 0o700) == 0)
    #expect(try Self.modes(host) == [0o755, 0o755, 0o755, 0o755])
  }

  // M-5
  @Test func `a directory in which an administrator has files keeps its mode`() throws {
    let host = try HostFixture()
    try host.write("{ A = b; }", to: "managed/com.example.other.plist")
    try #require(chmod(host.system + "/managed", 0o750) == 0)
    #expect(try Self.modes(host) == [0o755, 0o750, 0o755, 0o755])
  }
}
