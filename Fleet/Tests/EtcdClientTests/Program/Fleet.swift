import EtcdClient
import Foundation
import RevisionedStore
import ProgramTesting

/// An etcd and a host, on which the program is run as its users do.
final class Fleet: Sendable {
  static let program =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("defaults-fleet").path

  let server: EtcdServer
  let directory: TemporaryDirectory
  var system: String { directory("system") }
  /// The file of the policies' values that is for all users.
  var managed: String { system + "/managed/com.example.app.plist" }

  init() async throws {
    server = try await EtcdServer()
    directory = try TemporaryDirectory()
    _ = try await server.store()
    try FileManager.default.createDirectory(
      atPath: directory("policies/all"), withIntermediateDirectories: true)
  }

  /// The program's arguments after its environment.
  private var command: [String] {
    ["HOME=\(directory.path)", "STRATA_SYSTEM_DIRECTORY=\(system)", Self.program]
  }

  @discardableResult
  func run(_ words: String...) throws -> String {
    try Command.run("/usr/bin/env", command + words + ["--endpoint", server.endpoint])
  }

  func startAgent(_ host: String = "web1") throws -> GuardedProcess {
    try GuardedProcess(
      "/usr/bin/env",
      command + [
        "agent", "--host", host, "--state", directory("state"), "--endpoint", server.endpoint,
      ])
  }

  /// Publishes a policy with this value of the key `number`, for all hosts.
  func publish(_ number: Int) throws {
    let path = try directory.write(
      #"{"forced": {"number": \#(number)}}"#, to: "policies/all/com.example.app.json")
    try run("publish", path, "--reason", "number \(number)", "--quiet")
  }

  /// The policy as it is in the store.
  func policy() async throws -> StoredValue? {
    try await server.store().read([.prefix("/cfg/v1/live/")]).values.first
  }

  /// What a program on the host finds.
  func number() throws -> Int? {
    guard let data = FileManager.default.contents(atPath: managed) else { return nil }
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    return (list as? [String: Any])?["number"] as? Int
  }
}
