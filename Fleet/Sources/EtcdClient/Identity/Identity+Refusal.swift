import RevisionedStore

/// What the library means by its texts when a connection can't be secured.
extension Identity {
  /// - Parameters:
  ///   - endpoint: as it was given.
  ///   - now: in seconds since 1970.
  /// - Returns: the same error, or one that says what to mend.
  func explanation(of error: StoreError, from endpoint: String, at now: Int64) -> StoreError {
    guard case .unavailable(let text) = error, text.contains("failed to connect") else {
      return error
    }
    guard endpoint.hasPrefix("https://") else {
      return text.hasSuffix("Socket closed")
        ? .unavailable(
          "\(endpoint) closed the connection; if it uses TLS, the endpoint begins with https://")
        : error
    }
    let authority = authority?.path ?? ""
    if text.contains("certificate verify failed") {
      return problem(at: now)
        ?? .certificate(
          "the certificate of \(endpoint) was not signed by the authority in \(authority), or is "
            + "not valid now; give its authority's file, or renew the server's certificate")
    }
    if text.contains("is not in peer certificate") {
      return .certificate(
        "the certificate of \(endpoint) is for other names; use one of these as the endpoint, or "
          + "issue a certificate with this one")
    }
    let isClosed = ["Endpoint read failed", "Socket closed", "Connection reset"]
    guard isClosed.contains(where: { text.contains($0) }) else { return error }
    return problem(at: now) ?? refusal(by: endpoint)
  }

  /// It ended the connection without a reason.
  private func refusal(by endpoint: String) -> StoreError {
    guard let certificate else {
      return .certificate(
        "\(endpoint) closed the connection, perhaps since it asks for a certificate of ours; give "
          + "one with its key, or use http:// if it has no TLS")
    }
    if !isIssuedByAuthority {
      return .certificate(
        "\(endpoint) closed the connection: it does not accept \(certificate.path), which was not "
          + "issued by the authority in \(authority?.path ?? ""); use one that was")
    }
    return .unavailable(
      "\(endpoint) closed the connection; it may not accept \(certificate.path), or have no TLS")
  }
}
