import FleetAgent
import FleetModel
import Foundation
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataStorage

/// A host with directories of its own, and a clock that tests set.
final class HostFixture {
  let directory: String
  var now = 0.0
  var users: [String] = []
  private var revision: Int64 = 0

  init() throws {
    let base = URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path
    directory = base + "/strata-test-" + UUID().uuidString
    for path in [directory, directory + "/home"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      chmod(path, 0o755)
    }
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("could not remove \(directory): \(error)")
    }
  }

  var system: String { directory + "/system" }
  var stateFile: String { directory + "/state/state.plist" }

  /// An agent that starts, as after a restart.
  func agent(trustsClock: Bool = false) -> Agent {
    let now = PropertyListDate(secondsSinceReference: now)
    let users = users
    let record = UserRecord(
      id: getuid(), group: getgid(), name: "ann", home: directory + "/home")
    return Agent(
      AgentSettings(
        host: "web1", os: "debian", version: "test", stateDirectory: directory + "/state",
        surroundings: ProcessSurroundings(
          environment: ["STRATA_SYSTEM_DIRECTORY": system, "HOME": directory + "/home"],
          userID: getuid(),
          user: .known(record),
          isSetUID: false, host: HostIdentifier(of: "web1"), executableName: "agent"),
        users: { users }, findUser: { $0 == "ann" ? record : nil }, now: { now },
        trustsClock: trustsClock))
  }

  /// The store as it is when these policies are all that it has.
  func snapshot(_ policies: [Policy], _ record: HostRecord? = nil) throws -> StoreSnapshot {
    revision += 1
    return try .sample(policies, record, of: "web1", revision: revision)
  }

  func policy(
    _ layer: String, _ entries: [String: PolicyEntry], number: Int64 = 1,
    domain: String = "com.example.app"
  ) throws -> Policy {
    try .sample(layer, entries, number: number, domain: domain)
  }

  /// The values of a file below the system directory; nil if there is none.
  func values(_ path: String) throws -> [String: PropertyListValue]? {
    guard let bytes = try WholeFile("\(system)/\(path)").read() else { return nil }
    return try PropertyList.decode(bytes).value.dictionaryValue
  }

  func write(_ text: String, to path: String) throws {
    let path = "\(system)/\(path)"
    try FileManager.default.createDirectory(
      atPath: Path.directory(of: path), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }
}
