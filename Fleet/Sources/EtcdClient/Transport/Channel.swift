import CGRPC
import RevisionedStore

/// A connection to one member, made when it is first used, and again when it is lost.
final class Channel: Sendable {
  // Safety: the library's channels may be used by any thread; this one is closed once, at the end.
  private nonisolated(unsafe) let channel: OpaquePointer

  init(_ endpoint: Endpoint, _ identity: Identity) throws(StoreError) {
    let channel =
      endpoint.isEncrypted
      ? fleet_channel_open(
        endpoint.target, identity.authority?.text, identity.certificate?.text, identity.key?.text)
      : fleet_channel_open(endpoint.target, nil, nil, nil)
    guard let channel else {
      throw .certificate("the certificates can't be used; check that they are PEM files")
    }
    self.channel = channel
  }

  deinit { fleet_channel_close(channel) }

  /// Whether it has no connection, and goes on trying.
  var hasFailed: Bool { fleet_channel_has_failed(channel) != 0 }

  func call(
    _ method: String, within limit: Duration? = nil, metadata: [(String, String)] = []
  ) throws(StoreError) -> ChannelCall {
    let call = withPointers(metadata.map(\.0)) { names in
      withPointers(metadata.map(\.1)) { values in
        fleet_call_begin(channel, method, limit?.milliseconds ?? 0, names, values, metadata.count)
      }
    }
    guard let call else { throw .unavailable("there is no memory") }
    return ChannelCall(call, of: self)
  }
}

extension Duration {
  /// At least 1.
  var milliseconds: Int64 {
    max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
  }
}

/// The texts as C strings, for the time of the call.
private func withPointers<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  let copies = texts.map { Array($0.utf8CString) }
  func next(_ position: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
    guard position < copies.count else {
      return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
    return copies[position].withUnsafeBufferPointer { buffer in
      next(position + 1, pointers + [buffer.baseAddress])
    }
  }
  return next(0, [])
}
