import CStrata

/// A key to look up: its bytes and their hash.
struct HashedKey {
  // Safety: a key lives inside the call of `with` that lends the bytes, or where whoever made it
  // of bytes has them. Their string is not kept: to retain it would take longer than to find the
  // key.
  let bytes: UnsafeBufferPointer<UInt8>
  /// Equal for keys that Swift's strings take for equal: by canonical equivalence.
  let hash: UInt64

  var text: String { String(ofBytes: bytes) }

  // Not a Swift constant, which checks at each use whether it is initialized.
  private static var seed: UInt64 { strata_hash_seed() }

  @inline(__always)
  static func with<Result>(_ text: String, _ body: (HashedKey) -> Result) -> Result {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      body(HashedKey(bytes: bytes, hash: hash(text, bytes)))
    }
    // Only Objective-C's strings are anything else in memory, and there are none on Linux. To
    // handle them would put all of `body` a second time wherever a key is looked up.
    guard let found else { preconditionFailure("the key is not UTF-8 in memory") }
    return found
  }

  /// A key by its bytes, which are UTF-8.
  @inline(__always)
  init(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    let fast = Self.ascii(bytes, Self.seed)
    self.init(bytes: bytes, hash: fast == 0 ? Self.rareHash(String(ofBytes: bytes)) : fast)
  }

  init(bytes: UnsafeBufferPointer<UInt8>, hash: UInt64) {
    self.bytes = bytes
    self.hash = hash
  }

  @inline(__always)
  private static func hash(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let fast = ascii(bytes, seed)
    return fast == 0 ? rareHash(text) : fast
  }

  /// A key with characters past ASCII may still be another spelling of one without.
  @inline(never)
  private static func rareHash(_ text: String) -> UInt64 {
    guard RareKeys.hasDouble(text) else { return UInt64(truncatingIfNeeded: text.hashValue) | 1 }
    var plain = RareKeys.plain(text)
    let fast = plain.withUTF8 { ascii($0, seed) }
    return fast == 0 ? UInt64(truncatingIfNeeded: text.hashValue) | 1 : fast
  }

  // Safety: reads eight bytes only where eight are left of the buffer, which outlives the call.
  /// 0 if a byte is not ASCII: only then can two spellings be one key.
  @inline(__always)
  private static func ascii(_ bytes: UnsafeBufferPointer<UInt8>, _ start: UInt64) -> UInt64 {
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return start | 1 }
    var state = start ^ UInt64(truncatingIfNeeded: bytes.count)
    var high: UInt64 = 0
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      high |= word
      state = mix(state ^ word)
      offset += 8
    }
    if offset < bytes.count {
      var word: UInt64 = 0
      while offset < bytes.count {
        word = word << 8 | UInt64(bytes[offset])
        offset += 1
      }
      high |= word
      state = mix(state ^ word)
    }
    return high & 0x8080_8080_8080_8080 == 0 ? state | 1 : 0
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
