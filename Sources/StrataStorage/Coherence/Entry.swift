import CStrata
import StrataPropertyList

/// One key of a domain in memory, with its value or the knowledge that it has none. Entries never
/// change: a new value is a new entry. The key's bytes follow the entry in the same block, so that
/// finding it touches no other memory.
struct Entry {
  let hash: UInt64
  let value: PropertyListValue?
  private let keySize: Int32
  /// The bytes that key and value take where they are stored.
  let size: Int
  /// Whether the value has yet to be found out by whoever keeps the table.
  let isPending: Bool

  // Safety: the block has room for the entry and the bytes, and is given back by `free` only.
  @inline(__always)
  static func make(
    _ key: HashedKey, _ value: PropertyListValue?, isPending: Bool, in blocks: inout EntryBlocks
  ) -> UnsafeMutablePointer<Entry> {
    let block = blocks.take(MemoryLayout<Entry>.size + key.bytes.count)
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

  static func free(_ entry: UnsafeMutablePointer<Entry>, to blocks: inout EntryBlocks) {
    let size = MemoryLayout<Entry>.size + Int(entry.pointee.keySize)
    blocks.give(UnsafeMutableRawPointer(entry.deinitialize(count: 1)), size)
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

  /// Whether the entry's value is this very object: true only for texts and containers, and never
  /// for two values that differ.
  @inline(__always)
  static func holds(_ entry: UnsafePointer<Entry>, _ value: PropertyListValue) -> Bool {
    // Safety: each cast is to a type of the same size. Both values are alive at this moment, so
    // equal references lead to one object. Nothing is followed.
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
  /// spelling of the same key, or a collision, with a chance of one in 2^64.
  @inline(__always)
  static func holds(_ entry: UnsafePointer<Entry>, _ key: HashedKey) -> Bool {
    let own = keyBytes(of: entry)
    if own.count == key.bytes.count, strata_equal(own.baseAddress, key.bytes.baseAddress, own.count)
    {
      return true
    }
    return Self.key(of: entry) == key.text
  }
}
