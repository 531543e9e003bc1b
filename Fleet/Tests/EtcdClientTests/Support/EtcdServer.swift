import Foundation
import ProgramTesting
import RevisionedStore
import Synchronization

@testable import EtcdClient

/// An etcd of its own for one test, in a temporary directory.
final class EtcdServer: Sendable {
  struct NoServer: Error, CustomStringConvertible {
    let description: String
  }

  let endpoint: String
  let peer: String
  private let name: String
  private let directory: TemporaryDirectory
  private let certificates: [String]
  private let network: SeparateNetwork?
  /// As it was given when it was first started.
  private let cluster = Mutex("")
  private let process = Mutex<GuardedProcess?>(nil)

  /// - Parameters:
  ///   - network: in which it runs, if that is not this machine's.
  ///   - authority: who signed the server's certificate and those of all who may ask it.
  ///   - identity: the server's certificate.
  init(
    name: String, host: String = "127.0.0.1", network: SeparateNetwork? = nil,
    authority: Authority? = nil, identity: Authority.Identity? = nil
  ) throws {
    directory = try TemporaryDirectory()
    self.name = name
    self.network = network
    endpoint = "\(identity == nil ? "http" : "https")://\(host):\(try FreePort.find())"
    peer = "http://\(host):\(try FreePort.find())"
    guard let authority, let identity else {
      certificates = []
      return
    }
    certificates = [
      "--cert-file", identity.certificate, "--key-file", identity.key,
      "--trusted-ca-file", authority.path, "--client-cert-auth",
    ]
  }

  /// A server that is on its own, and runs.
  convenience init(
    authority: Authority? = nil, identity: Authority.Identity? = nil, more: [String] = []
  ) async throws {
    try self.init(name: "one", authority: authority, identity: identity)
    try start(among: [self], more: more)
  }

  // Before its network goes.
  deinit { kill() }

  /// - Parameter members: of its cluster, itself among them.
  func start(among members: [EtcdServer], more: [String] = []) throws {
    cluster.withLock { cluster in
      cluster = members.map { "\($0.name)=\($0.peer)" }.joined(separator: ",")
    }
    try start(more: more)
  }

  /// Starts it again with the data that it has.
  func start(more: [String] = []) throws {
    let program = (network?.command ?? []) + ["etcd"]
    let arguments =
      program.dropFirst() + [
        "--name", name, "--data-dir", directory("data"),
        "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
        "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        "--initial-cluster", cluster.withLock { $0 },
        "--heartbeat-interval", "50", "--election-timeout", "500", "--pre-vote",
      ] + certificates + more
    let started = try GuardedProcess(program[0], Array(arguments))
    process.withLock { $0 = started }
  }

  func pause() { process.withLock { $0 }?.pause() }
  func resume() { process.withLock { $0 }?.resume() }

  /// As if its power were cut.
  func kill() { process.withLock { $0 }?.end() }

  /// Kills it, and removes all that it has.
  func wipe() throws {
    kill()
    try FileManager.default.removeItem(atPath: directory("data"))
  }

  /// A client with all the time there is, once the server answers.
  func store() async throws -> EtcdStore { try await Self.store(at: endpoint) }

  static func store(at endpoint: String) async throws -> EtcdStore {
    try await ready(StoreLocation(endpoints: [endpoint]))
  }

  static func ready(_ location: StoreLocation) async throws -> EtcdStore {
    let store = try EtcdStore(location, .long)
    var last: StoreError?
    let end = ContinuousClock.now + .seconds(600)
    while .now < end {
      do throws(StoreError) {
        _ = try await store.read([.key("ready")])
        return store
      } catch {
        last = error
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    throw NoServer(description: "\(location.endpoints) did not start: \(last, default: "")")
  }

  /// From now on, only `root` with this password may do anything.
  func requirePassword(_ password: String) throws {
    try control("user", "add", "root:\(password)")
    try control("user", "grant-role", "root", "root")
    try control("auth", "enable")
  }

  @discardableResult
  func control(_ words: String...) throws -> String {
    try Command.run("etcdctl", ["--endpoints", endpoint] + words)
  }
}

extension EtcdServer {
  /// From now on, only those may do anything who have a certificate of a user that has the right;
  /// `root` may do everything.
  func requireCertificates(_ authority: Authority, root: Authority.Identity) throws {
    let login = [
      "--endpoints", endpoint, "--cacert", authority.path, "--cert", root.certificate,
      "--key", root.key,
    ]
    for words in [
      ["user", "add", "root", "--no-password"], ["user", "grant-role", "root", "root"],
      ["auth", "enable"],
    ] {
      try Command.run("etcdctl", login + words)
    }
  }
}
