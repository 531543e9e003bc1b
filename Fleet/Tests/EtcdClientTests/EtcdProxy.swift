import Foundation

/// A proxy of etcd's own, between a store and a server.
final class EtcdProxy: Sendable {
  let endpoint: String
  private let process = Process()

  init(of server: EtcdServer) throws {
    let address = "127.0.0.1:\(try EtcdServer.freePort())"
    endpoint = "http://" + address
    process.executableURL = URL(fileURLWithPath: "/usr/bin/etcd")
    process.arguments = [
      "grpc-proxy", "start", "--listen-addr", address, "--endpoints", server.endpoint,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }
}
