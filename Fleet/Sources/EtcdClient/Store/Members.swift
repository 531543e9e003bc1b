import RevisionedStore
import Synchronization

/// The members of a store: calls go to one of them, and to the next when it fails.
///
/// Each has a channel of its own. The library could choose between them, but stays for seconds with
/// one that hangs, or connects to all.
final class Members: Sendable {
  private struct State {
    var choice: MemberChoice
    var channels: [Int: Channel] = [:]
    var token: String?
    var identity: RenewedIdentity
  }

  /// As they were given.
  let names: [String]
  private let endpoints: [Endpoint]
  private let user: String?
  private let password: String
  let patience: Patience
  private let state: Mutex<State>

  init(_ location: StoreLocation, _ patience: Patience) throws(StoreError) {
    self.patience = patience
    names = location.endpoints
    var endpoints: [Endpoint] = []
    for text in names { endpoints.append(try Endpoint(text)) }
    guard !endpoints.isEmpty else { throw .unavailable("no endpoint is given") }
    self.endpoints = endpoints
    user = location.user
    password = location.password ?? ""
    state = Mutex(
      State(
        choice: MemberChoice(count: endpoints.count), identity: try RenewedIdentity(location)))
    if endpoints.contains(where: \.isEncrypted), location.authority == nil {
      throw .certificate(
        "an endpoint with https needs the certificate of the authority that signed the servers'")
    }
  }

  var certificates: [CertificateStatus] { state.withLock { $0.identity.identity.certificates } }

  var current: Int { state.withLock { $0.choice.current } }

  func didAnswer(_ member: Int) { state.withLock { $0.choice.didAnswer(member) } }

  /// After a failure of the member's own, others are asked.
  func didFail(_ member: Int, _ error: StoreError) {
    switch error {
    case .unavailable, .outcomeUnknown, .invalidAnswer, .certificate:
      // The library would try again each second, however long those who ask mean to wait: all
      // hosts would be back within a second of a server that has just started.
      _ = state.withLock { state -> Channel? in
        state.choice.didFail(member)
        guard state.channels[member]?.hasFailed == true else { return nil }
        return state.channels.removeValue(forKey: member)
      }
    case .unauthenticated: state.withLock { $0.token = nil }
    default: break
    }
  }

  func ask(
    _ method: String, _ request: [UInt8], isChange: Bool
  ) async throws(StoreError) -> [UInt8] {
    var last = StoreError.unavailable("no member was asked")
    // One that fails at once is asked again, one that hangs is not.
    let end = ContinuousClock.now + patience.call * endpoints.count
    for _ in 0..<max(2, endpoints.count) {
      if Task.isCancelled { throw .cancelled }
      let limit = min(patience.call, end - .now)
      guard limit > .zero else { break }
      let member = current
      do throws(StoreError) {
        let answer = try await ask(
          method, request, of: member, isChange: isChange, within: limit)
        didAnswer(member)
        return answer
      } catch {
        last = error
        didFail(member, error)
        switch error {
        case .unavailable, .certificate: continue
        case .unauthenticated where user != nil: continue
        default: throw error
        }
      }
    }
    throw last
  }

  func ask(
    _ method: String, _ request: [UInt8], of member: Int, isChange: Bool, within limit: Duration
  ) async throws(StoreError) -> [UInt8] {
    let end = ContinuousClock.now + limit
    let channel = try channel(member)
    let metadata = try await tokenMetadata(member, channel, before: end)
    let call = try channel.call(method, within: end - .now, metadata: metadata)
    let (answer, status) = await call.ask(request)
    if Task.isCancelled, answer == nil {
      throw isChange ? .outcomeUnknown("cancelled") : .cancelled
    }
    guard let answer else {
      throw explanation(of: EtcdErrors.error(of: status, isChange: isChange), from: member)
    }
    return answer
  }

  /// What the store says of itself to who may read this range: agreed by its members, and asked of
  /// one.
  func present(_ range: KeyRange, of member: Int) async throws(StoreError) -> EtcdHeader {
    let answer = try await ask(
      "/etcdserverpb.KV/Range", EtcdMessages.count(range), of: member, isChange: false,
      within: patience.call)
    var header = EtcdHeader()
    try ProtobufReader.read(answer[...]) { field, value throws(StoreError) in
      if field == 1 { header = try EtcdHeader(value.bytes) }
    }
    return header
  }

  /// A stream, which a member without a leader refuses instead of being silent.
  ///
  /// - Parameter limit: after which it ends, even if it works.
  func stream(
    _ method: String, _ member: Int, within limit: Duration? = nil
  ) async throws(StoreError) -> ChannelCall {
    let end = ContinuousClock.now + (limit ?? patience.call)
    let channel = try channel(member)
    let metadata = [("hasleader", "true")] + (try await tokenMetadata(member, channel, before: end))
    return try channel.call(method, within: limit.map { _ in end - .now }, metadata: metadata)
  }

  /// The library says of what is wrong with certificates only that there is no connection.
  func explanation(of error: StoreError, from member: Int) -> StoreError {
    state.withLock { $0.identity.explanation(of: error, from: names[member]) }
  }

  /// A new one if there is none, or if files were changed since it was made: a stream stays on the
  /// old one until it ends.
  private func channel(_ member: Int) throws(StoreError) -> Channel {
    let endpoint = endpoints[member]
    var identity = state.withLock(\.identity)
    let isNew = endpoint.isEncrypted ? try identity.renew() : false
    if !isNew, let channel = state.withLock({ $0.channels[member] }) { return channel }
    if endpoint.isEncrypted, let problem = identity.problem { throw problem }
    let channel = try Channel(endpoint, identity.identity)
    let current = identity
    return state.withLock { state in
      if isNew {
        state.identity = current
        state.channels = [:]
      }
      // Others may have made one, or have read newer files.
      if let other = state.channels[member] { return other }
      if state.identity.isSame(as: current) { state.channels[member] = channel }
      return channel
    }
  }

  // -- Names and passwords

  private func tokenMetadata(
    _ member: Int, _ channel: Channel, before end: ContinuousClock.Instant
  ) async throws(StoreError) -> [(String, String)] {
    guard let user else { return [] }
    if let token = state.withLock(\.token) { return [("token", token)] }
    let request = EtcdMessages.fields { writer in
      writer.add(1, user)
      writer.add(2, password)
    }
    let (answer, status) = await
      (try channel.call("/etcdserverpb.Auth/Authenticate", within: end - .now)).ask(request)
    guard let answer else {
      if Task.isCancelled { throw .cancelled }
      if status.code == 3 { throw .unauthenticated(status.text) }
      throw explanation(of: EtcdErrors.error(of: status, isChange: false), from: member)
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
