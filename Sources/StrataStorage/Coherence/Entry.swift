import CStrata
import StrataPropertyList

/// One key of a domain in memory, with its value or the knowledge that it has none. Never changed:
/// a new value is a new entry. The key's bytes follow it in the same block, so that finding it
/// touches no other memory.
struct Entry {
  let hash: UInt64
  let value: PropertyListValue?
  private let keySize: Int32
  /// Bytes that key and value take where they are stored.
  let size: Int
  /// Whether the value is still to be found out by whoever keeps the table.
  let isPending: Bool

  // Safety: the block has room for the entry and the bytes, and is freed by `free` only.
  static func make(
    _ key: Key, _ value: PropertyListValue?, isPending: Bool = false
  ) -> UnsafeMutablePointer<Entry> {
    let size = MemoryLayout<Entry>.size + key.bytes.count
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: size, alignment: MemoryLayout<Entry>.alignment)
    let entry = block.bindMemory(to: Entry.self, capacity: 1)
    entry.initialize(
      to: Entry(
        hash: key.hash, value: value, keySize: Int32(key.bytes.count),
        size: value.map { key.bytes.count + RecordWriter.size($0) } ?? 0, isPending: isPending))
    if let start = key.bytes.baseAddress {
      (block + MemoryLayout<Entry>.size).copyMemory(from: start, byteCount: key.bytes.count)
    }
    return entry
  }

  static func free(_ entry: UnsafeMutablePointer<Entry>) {
    UnsafeMutableRawPointer(entry.deinitialize(count: 1)).deallocate()
  }

  private init(
    hash: UInt64, value: PropertyListValue?, keySize: Int32, size: Int, isPending: Bool
  ) {
    self.hash = hash
    self.value = value
    self.keySize = keySize
    self.size = size
    self.isPending = isPending
  }

  /// Whether the entry's value is this very one: true of texts and containers only, and never of
  /// two that are different.
  @inline(__always)
  static func holds(_ entry: UnsafePointer<Entry>, _ value: PropertyListValue) -> Bool {
    // Safety: all are as large as what they are cast to. Both values are there at this moment, so
    // that equal references lead to one object. Nothing is followed.
    switch (entry.pointee.value, value) {
    case (.array(let own)?, .array(let other)):
      unsafeBitCast(own, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
    case (.dictionary(let own)?, .dictionary(let other)):
      unsafeBitCast(own, to: UInt.self) == unsafeBitCast(other, to: UInt.self)
    case (.string(let own)?, .string(let other)):
      unsafeBitCast(own, to: (UInt, UInt).self) == unsafeBitCast(other, to: (UInt, UInt).self)
    default: false
    }
  }

  // Safety: made by `make`, an entry is followed by as many bytes.
  static func key(of entry: UnsafePointer<Entry>) -> String {
    String(decoding: keyBytes(of: entry), as: UTF8.self)
  }

  @inline(__always)
  private static func keyBytes(of entry: UnsafePointer<Entry>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: UnsafeRawPointer(entry) + MemoryLayout<Entry>.size, count: Int(entry.pointee.keySize))
  }

  /// Whether the entry, whose hash is the key's, is that key's. Bytes that differ are another
  /// spelling of the same key, or one of 2^64 chances.
  @inline(__always)
  static func holds(_ entry: UnsafePointer<Entry>, _ key: Key) -> Bool {
    let own = keyBytes(of: entry)
    if own.count == key.bytes.count, strata_equal(own.baseAddress, key.bytes.baseAddress, own.count)
    {
      return true
    }
    return Self.key(of: entry) == key.text
  }
}

/// A key that is being looked for.
struct Key {
  // Safety: a key lives inside the call of `with` that lends the bytes. The text they are of is not
  // kept: to count a reference to it takes longer than to find the key.
  let bytes: UnsafeBufferPointer<UInt8>
  /// Equal for keys that are equal as Swift compares strings, by canonical equivalence.
  let hash: UInt64

  var text: String { String(decoding: bytes, as: UTF8.self) }

  // Not a constant of Swift's, which asks at each use whether it is there.
  private static var seed: UInt64 { strata_hash_seed() }

  @inline(__always)
  static func with<Result>(_ text: String, _ body: (Key) -> Result) -> Result {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      body(Key(bytes: bytes, hash: hash(text, bytes)))
    }
    if let found { return found }
    var copy = text
    return copy.withUTF8 { bytes in body(Key(bytes: bytes, hash: hash(text, bytes))) }
  }

  @inline(__always)
  private static func hash(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let fast = ascii(bytes, seed)
    return fast == 0 ? rareHash(text) : fast
  }

  /// A key with characters past ASCII may still be another spelling of one without.
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
