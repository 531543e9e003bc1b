import ProgramTesting

/// A proxy of etcd's own, between a store and a server.
final class EtcdProxy: Sendable {
  let endpoint: String
  private let process: GuardedProcess

  init(of server: EtcdServer) throws {
    let address = "127.0.0.1:\(try FreePort.find())"
    endpoint = "http://" + address
    process = try GuardedProcess(
      "etcd",
      ["grpc-proxy", "start", "--listen-addr", address, "--endpoints", server.endpoint])
  }
}
