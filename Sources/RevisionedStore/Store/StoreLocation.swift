/// Where the members of a store are, and who asks.
public struct StoreLocation: Equatable, Sendable {
  /// `HOST:PORT` of each member, with `https://` for TLS or `http://` for none.
  public var endpoints: [String]
  /// The path of a PEM file: who signed the servers' certificates.
  public var authority: String?
  /// The path of our own certificate, a PEM file.
  public var certificate: String?
  /// The path of its key.
  public var key: String?
  /// A name of the store's own.
  public var user: String?
  /// Its password.
  public var password: String?

  /// Creates a location.
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
