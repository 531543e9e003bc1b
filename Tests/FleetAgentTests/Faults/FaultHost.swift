import FleetAgent
import FleetModel
import RevisionedStore
import StrataDomains
import StrataPropertyList

@testable import FaultTesting
@testable import StrataStorage

/// A host whose disk fails, and which can die at any moment.
struct FaultHost {
  static let (system, state, home) = ("/etc/defaults", "/var/lib/fleet", "/home/ann")
  static let app = StorePaths(identifier: "com.example.app", in: home + "/.config/defaults")

  let machine: FaultMachine

  init(_ machine: FaultMachine = FaultMachine()) {
    self.machine = machine
    machine.forgetsReplaced = true
    for path in [Self.system, Self.state, Self.home + "/.config"] { machine.makeParents(of: path) }
  }

  /// An agent that starts.
  func agent(
    host: String = "web1", os: String? = nil,
    now: @escaping @Sendable () -> PropertyListDate = {
      PropertyListDate(secondsSinceReference: 0)
    }
  ) -> Agent {
    let record = UserRecord(id: 0, group: 0, name: "ann", home: Self.home)
    let process = machine.process()
    return Agent(
      AgentSettings(
        host: host, os: os, version: "test", stateDirectory: Self.state,
        surroundings: ProcessSurroundings(
          environment: ["HOME": Self.home], userID: 0, user: .known(record), isSetUID: false,
          host: HostIdentifier(of: host), executableName: "agent"),
        users: { ["ann"] }, findUser: { $0 == "ann" ? record : nil }, now: now),
      on: machine.disk, open: { process.store(at: $0, rules: $1) })
  }

  /// An agent that starts, has this from the store and applies it.
  @discardableResult
  func run(_ snapshot: StoreSnapshot) -> Agent {
    var agent = agent()
    agent.adopt(snapshot)
    agent.apply()
    return agent
  }

  // -- What is there

  /// The administrator's files and their provenances, without drafts. An empty one has no values.
  var files: [String: [UInt8]] {
    machine.names.filter {
      $0.key.hasPrefix(Self.system + "/") && !$0.key.hasSuffix(".new") && $0.value.size > 0
    }.mapValues(\.bytes)
  }

  /// What should not be there when an agent is done: drafts, and files without content.
  var leftOvers: [String] {
    machine.names.filter { path, file in
      [Self.system, Self.state].contains { path.hasPrefix($0 + "/") }
        && (path.hasSuffix(".new") || file.size == 0)
    }.keys.sorted()
  }

  /// How the files differ from what they should be; nil if they do not.
  func difference(from files: [String: [UInt8]]) -> String? {
    let found = self.files
    let paths = Set(found.keys).union(files.keys).filter { found[$0] != files[$0] }
    return paths.isEmpty
      ? nil
      : paths.sorted().map { path in
        "\(path) is \(found[path].map { "\($0.count) bytes" } ?? "missing")"
      }.joined(separator: "; ")
  }

  /// A domain of the user's, in a process of its own.
  var userStore: Store { machine.process().store(at: Self.app) }

  /// What is wrong with files that may have the contents of either of two moments.
  func complaint(between old: [String: [UInt8]], and new: [String: [UInt8]]) -> String? {
    let files = files
    for path in Set(files.keys).union(old.keys).union(new.keys).sorted() {
      if files[path] != old[path], files[path] != new[path] {
        return "\(path) is neither the old nor the new one: \(files[path] ?? [])"
      }
      let mark = Provenance.path(besidePlist: path)
      if path.hasSuffix(".plist"), files[path] != nil, path != FaultScript.byHand,
        files[mark] == nil
      {
        return "\(path) would be taken for one that was made by hand"
      }
    }
    return nil
  }

  /// Starts an agent that can't reach the store.
  ///
  /// - Returns: what is wrong after that.
  func complaintOfRestartAlone(_ new: [String: [UInt8]]) -> String? {
    let before = files
    var agent = agent()
    agent.apply()
    let after = files
    for path in Set(before.keys).union(after.keys).union(new.keys)
    where after[path] != before[path] && after[path] != new[path] {
      return "a restart without the store takes \(path) back"
    }
    return nil
  }
}
