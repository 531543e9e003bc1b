import RevisionedStore

/// The address of a member.
struct Endpoint: Equatable {
  /// `host:port`
  let target: String
  let isEncrypted: Bool

  init(_ text: String) throws(StoreError) {
    let (secure, plain) = ("https://", "http://")
    guard text.hasPrefix(secure) || text.hasPrefix(plain) else {
      throw .unavailable("the endpoint \(text) begins with neither http:// nor https://")
    }
    isEncrypted = text.hasPrefix(secure)
    var rest = text.dropFirst(isEncrypted ? secure.count : plain.count)
    if rest.last == "/" { rest.removeLast() }
    guard !rest.isEmpty, !rest.contains("/") else {
      throw .unavailable("the endpoint \(text) is not a host and a port")
    }
    // The address itself has colons if it is in brackets.
    let address = rest.lastIndex(of: "]").map { rest[...$0] } ?? ""
    let hasPort = rest.dropFirst(address.count).contains(":")
    target = hasPort ? String(rest) : rest + ":2379"
  }
}
