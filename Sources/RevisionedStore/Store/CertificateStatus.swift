/// Until when a certificate is valid by which the servers and this client know each other.
public struct CertificateStatus: Equatable, Sendable {
  /// The path of its file.
  public let file: String
  /// In seconds since 1970.
  public let end: Int64

  /// Creates a status.
  public init(file: String, end: Int64) {
    self.file = file
    self.end = end
  }
}
