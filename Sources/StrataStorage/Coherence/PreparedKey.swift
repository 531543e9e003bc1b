/// A key that keeps its bytes and hash, so that a search need not compute them.
package final class PreparedKey: Sendable {
  // Safety: the bytes are this object's own, never change, and are freed with it; whoever searches
  // holds the object.
  nonisolated(unsafe) let key: HashedKey

  package var text: String { key.text }

  /// A hash that is cheap to compute, also for the first time in a process.
  package static func hash(of text: String) -> UInt64 { HashedKey.with(text) { $0.hash } }

  package init(_ text: String) {
    key = HashedKey.with(text) { key in
      let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: key.bytes.count)
      _ = bytes.initialize(from: key.bytes)
      return HashedKey(bytes: UnsafeBufferPointer(bytes), hash: key.hash)
    }
  }

  deinit { key.bytes.deallocate() }
}
