import CStrata
import StrataPropertyList

/// One key of a domain in memory, with its value or the knowledge that it has none. Never changed:
/// a new value is a new entry.
struct Entry {
  let hash: UInt64
  let key: String
  let value: PropertyListValue?
}

/// How keys are spread over a table.
enum KeyHash {
  private static let seed = UInt64.random(in: 1...UInt64.max)

  /// Equal for keys that are equal as Swift compares strings, by canonical equivalence.
  @inline(__always)
  static func of(_ key: String) -> UInt64 {
    let start = seed
    var copy = key
    let fast = copy.withUTF8 { ascii($0, start) }
    return fast == 0 ? UInt64(truncatingIfNeeded: key.hashValue) | 1 : fast
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
