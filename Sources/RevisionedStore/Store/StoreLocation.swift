/// Where the members of a store are, and who asks.
public struct StoreLocation: Equatable, Sendable {
  /// `HOST:PORT` of each member, with `https://` for TLS or `http://` for none.
  public var endpoints: [String]
  /// Paths of PEM files: who signed the servers' certificates, and our own certificate and key.
  public var authority: String?
  public var certificate: String?
  public var key: String?
  public var user: String?
  public var password: String?

  public init(
    endpoints: [String], authority: String? = nil, certificate: String? = nil, key: String? = nil,
    user: String? = nil, password: String? = nil
  ) {
    self.endpoints = endpoints
    self.authority = authority
    self.certificate = certificate
    self.key = key
    self.user = user
    self.password = password
  }
}
