import RevisionedStore
import Synchronization

/// The members of a store: calls go to one of them, and to the next when it fails.
///
/// Each has a channel of its own. The library could choose between them, but stays for seconds with
/// one that hangs, or connects to all.
final class Members: Sendable {
  private struct State {
    var current = 0
    var channels: [Int: Channel] = [:]
    var token: String?
  }

  private let endpoints: [Endpoint]
  private let identity: Identity
  private let state = Mutex(State())

  init(_ location: StoreLocation) throws(StoreError) {
    var endpoints: [Endpoint] = []
    for text in location.endpoints { endpoints.append(try Endpoint(text)) }
    guard !endpoints.isEmpty else { throw .unavailable("no endpoint is given") }
    self.endpoints = endpoints
    identity = try Identity(location)
    if endpoints.contains(where: \.isEncrypted), location.authority == nil {
      throw .certificate(
        "an endpoint with https needs the certificate of the authority that signed the servers'")
    }
  }

  var current: Int { state.withLock { $0.current } }

  /// After a failure of the member's own, others are asked.
  func didFail(_ member: Int, _ error: StoreError) {
    switch error {
    case .unavailable, .outcomeUnknown, .invalidAnswer:
      state.withLock { state in
        if state.current == member { state.current = (member + 1) % endpoints.count }
      }
    case .unauthenticated: state.withLock { $0.token = nil }
    default: break
    }
  }

  func ask(
    _ method: String, _ request: [UInt8], isChange: Bool
  ) async throws(StoreError) -> [UInt8] {
    var last = StoreError.unavailable("no member was asked")
    for _ in 0..<max(2, endpoints.count) {
      if Task.isCancelled { throw .cancelled }
      let member = current
      do throws(StoreError) {
        return try await ask(method, request, of: member, isChange: isChange)
      } catch {
        last = error
        didFail(member, error)
        switch error {
        case .unavailable: continue
        case .unauthenticated where identity.user != nil: continue
        default: throw error
        }
      }
    }
    throw last
  }

  func ask(
    _ method: String, _ request: [UInt8], of member: Int, isChange: Bool
  ) async throws(StoreError) -> [UInt8] {
    let call = try channel(member).call(
      method, seconds: Self.patience, metadata: try await tokenMetadata(member))
    let (answer, status) = await call.ask(request)
    if Task.isCancelled, answer == nil {
      throw isChange ? .outcomeUnknown("cancelled") : .cancelled
    }
    guard let answer else { throw EtcdErrors.error(of: status, isChange: isChange) }
    return answer
  }

  /// How many seconds a call may take.
  private static let patience: Int64 = 5

  /// A stream, which a member without a leader refuses instead of being silent.
  func stream(_ method: String, _ member: Int) async throws(StoreError) -> ChannelCall {
    let metadata = [("hasleader", "true")] + (try await tokenMetadata(member))
    return try channel(member).call(method, metadata: metadata)
  }

  private func channel(_ member: Int) throws(StoreError) -> Channel {
    if let channel = state.withLock({ $0.channels[member] }) { return channel }
    let endpoint = endpoints[member]
    let channel =
      try endpoint.isEncrypted
      ? Channel(
        endpoint.target, authority: identity.authority, certificate: identity.certificate,
        key: identity.key)
      : Channel(endpoint.target, authority: nil, certificate: nil, key: nil)
    return state.withLock { state in
      if let other = state.channels[member] { return other }
      state.channels[member] = channel
      return channel
    }
  }

  // -- Names and passwords

  private func tokenMetadata(_ member: Int) async throws(StoreError) -> [(String, String)] {
    guard let user = identity.user else { return [] }
    if let token = state.withLock(\.token) { return [("token", token)] }
    let request = EtcdMessages.fields { writer in
      writer.add(1, user)
      writer.add(2, identity.password ?? "")
    }
    let (answer, status) = await
      (try channel(member).call(
        "/etcdserverpb.Auth/Authenticate", seconds: Self.patience)).ask(request)
    guard let answer else {
      if status.code == 3 { throw .unauthenticated(status.text) }
      throw EtcdErrors.error(of: status, isChange: false)
    }
    var token = ""
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      if field == 2 { token = value.text }
    }
    let found = token
    state.withLock { $0.token = found }
    return [("token", found)]
  }
}
