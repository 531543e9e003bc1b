import EtcdClient
import RevisionedStore

/// An etcd that asks for certificates, and the authority that it accepts.
struct EncryptedServer {
  let authority: Authority
  let server: EtcdServer

  /// - Parameters: of the server's own certificate.
  init(host: String = "127.0.0.1", until end: Double = 86_400) async throws {
    authority = try Authority()
    server = try await EtcdServer(
      authority: authority, identity: authority.issue("server", host: host, until: end))
  }

  func location(
    _ identity: Authority.Identity?, authority other: Authority? = nil
  ) -> StoreLocation {
    StoreLocation(
      endpoints: [server.endpoint], authority: (other ?? authority).path,
      certificate: identity?.certificate, key: identity?.key)
  }

  /// Returns when it answers.
  @discardableResult
  func ready() async throws -> EtcdStore {
    try await EtcdServer.ready(location(authority.issue("ready")))
  }
}
