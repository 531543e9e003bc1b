import EtcdClient
import Foundation
import Glibc
import RevisionedStore

/// An etcd of its own for one test, in a temporary directory.
final class EtcdServer: Sendable {
  let endpoint: String
  private let directory: String
  private let process: Process

  struct NoServer: Error, CustomStringConvertible {
    let description: String
  }

  init() async throws {
    directory = "/tmp/strata-etcd-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let (client, peer) = (try Self.freePort(), try Self.freePort())
    endpoint = "http://127.0.0.1:\(client)"
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/etcd")
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/etcd") else {
      throw NoServer(description: "there is no /usr/bin/etcd; install Debian's etcd-server")
    }
    process.arguments = [
      "--name", "one", "--data-dir", directory + "/data",
      "--listen-client-urls", endpoint, "--advertise-client-urls", endpoint,
      "--listen-peer-urls", "http://127.0.0.1:\(peer)",
      "--initial-advertise-peer-urls", "http://127.0.0.1:\(peer)",
      "--initial-cluster", "one=http://127.0.0.1:\(peer)",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    do {
      try FileManager.default.removeItem(atPath: directory)
    } catch {
      print("could not remove \(directory): \(error)")
    }
  }

  /// A client, once the server answers.
  func store() async throws -> EtcdStore { try await Self.store(at: endpoint) }

  static func store(at endpoint: String) async throws -> EtcdStore {
    let store = try EtcdStore(StoreLocation(endpoints: [endpoint]))
    for _ in 0..<200 {
      do throws(StoreError) {
        _ = try await store.read([.key("ready")])
        return store
      } catch {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    throw NoServer(description: "\(endpoint) did not start")
  }

  /// From now on, only `root` with this password may do anything.
  func requirePassword(_ password: String) throws {
    for words in [
      ["user", "add", "root:\(password)"], ["user", "grant-role", "root", "root"],
      ["auth", "enable"],
    ] {
      try Command.run("etcdctl", ["--endpoints", endpoint] + words)
    }
  }

  func stop() { kill(process.processIdentifier, SIGSTOP) }
  func resume() { kill(process.processIdentifier, SIGCONT) }

  static func freePort() throws -> UInt16 {
    let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(file, $0, size) == 0 && getsockname(file, $0, &size) == 0
      }
    }
    guard isBound else { throw NoServer(description: "there is no free port") }
    return UInt16(bigEndian: address.sin_port)
  }
}
