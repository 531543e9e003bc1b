import CommandTesting
import DefaultsCommand
import FleetCommand
import FleetModel
import Foundation
import RevisionedStore
import StrataDomains
import StrataPropertyList
import StrataTesting
import Testing

/// A store in memory and a home directory, in which the command is run within this process.
final class FleetFixture {
  struct Outcome: Equatable {
    var output = ""
    var errors = ""
    var code = ExitCode.success
  }

  let store = TestStore()
  let directory: String
  let surroundings: ProcessSurroundings
  /// Where the command wanted to connect to, last.
  let location = Guarded<StoreLocation?>(nil)

  init() throws {
    let base = URL(fileURLWithPath: "/tmp").resolvingSymlinksInPath().path
    directory = base + "/strata-fleet-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    surroundings = ProcessSurroundings(
      environment: [
        "HOME": directory, "STRATA_SYSTEM_DIRECTORY": directory + "/system",
        "XDG_DATA_HOME": directory + "/data",
      ],
      userID: geteuid(),
      user: .known(UserRecord(id: geteuid(), group: getegid(), name: "ann", home: directory)),
      isSetUID: false, host: HostIdentifier(of: "a machine"), executableName: "defaults-fleet")
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("could not remove \(directory): \(error)")
    }
  }

  func console() -> TestConsole {
    let console = TestConsole()
    console.environment = ["HOME": directory, "TERM": "xterm"]
    return console
  }

  @discardableResult
  func run(_ arguments: String...) async -> Outcome { await run(arguments, console()) }

  /// Runs the command; without an endpoint among the arguments, with one.
  func run(
    _ arguments: [String], _ console: TestConsole,
    endpoint: [String] = ["--endpoint", "http://a:1"]
  ) async -> Outcome {
    let code = await FleetProgram.run(arguments + endpoint, console, surroundings) {
      [store, location] (wanted) throws(StoreError) in
      location.withLock { $0 = wanted }
      return store
    }
    return Outcome(
      output: console.text(of: .output), errors: console.text(of: .error), code: code)
  }

  /// Runs what must succeed without a word on the standard error.
  @discardableResult
  func succeed(
    _ arguments: String..., at place: SourceLocation = #_sourceLocation
  ) async -> String {
    let outcome = await run(arguments, console())
    #expect(outcome.code == .success && outcome.errors.isEmpty, "\(outcome)", sourceLocation: place)
    return outcome.output
  }

  // -- What is there

  /// Writes a policy, and returns its path.
  @discardableResult
  func write(
    _ path: String, _ entries: [String: PropertyListValue]
  ) throws -> String {
    try write(path, bytes: try PropertyList.encode(.dictionary(entries), as: .xml))
  }

  @discardableResult
  func write(_ path: String, bytes: [UInt8]) throws -> String {
    let url = URL(fileURLWithPath: directory + "/policies/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  var policies: String { directory + "/policies" }

  /// A host with a record and, if versions are given, a status.
  func host(
    _ name: String, _ record: HostRecord = HostRecord(), versions: [String: Int64]? = nil,
    problems: [String] = [], age: Double = 5
  ) async throws {
    try await store.put(FleetKey.host(name).text, try record.bytes(of: name))
    guard let versions else { return }
    try await store.put(
      FleetKey.status(name).text,
      try Self.status(versions, problems: problems, age: age).bytes(of: name))
  }

  /// A status of some seconds before the console's time.
  static func status(
    _ versions: [String: Int64], problems: [String] = [], age: Double = 5
  ) -> HostStatus {
    HostStatus(
      agent: "0.2.0", os: "debian", revision: 7,
      time: PropertyListDate(secondsSinceReference: 1_600_000_000 - 978_307_200 - age),
      versions: versions, problems: problems)
  }

  /// A policy of the store.
  func policy(_ name: String) async throws -> Policy? {
    try await store.values.filter { FleetKey.allPolicies.contains($0.key) }
      .map { try Policy.decode($0.value, key: $0.key).policy }.first { $0.name.text == name }
  }
}
