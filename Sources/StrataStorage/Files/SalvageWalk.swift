import StrataPropertyList

/// One walk through a damaged file from record to record.
///
/// Safety: a walk lives inside the call of `salvage` that lends it the bytes; it reads them through
/// `ByteView`, and checks a record's sum only after `RecordPrefix` found that it fits.
struct SalvageWalk {
  private let bytes: UnsafeRawBufferPointer
  private let view: ByteView
  private var salvage = CheckedPlist.Salvage()
  private var position = BinaryTrailer.headerSize
  /// The number of the next key's object if nothing is lost before it.
  private var nextObject = 0
  /// How many more bytes may be checked in vain, so that no file takes quadratic time.
  private var budget: Int

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    view = ByteView(bytes)
    budget = 8 * bytes.count + 1_000_000
  }

  mutating func run() -> CheckedPlist.Salvage {
    while !isAtEndOfRecords, let start = nextRecord() {
      if start.offset > position { countLost(before: start.prefix.keyObject) }
      position = start.offset + start.prefix.size
      read(start.prefix, at: start.offset + RecordPrefix.size)
    }
    if !isAtEndOfRecords { salvage.damagedCount += 1 }
    if let lostByCount { salvage.damagedCount = lostByCount }
    if !CheckedPlist.isWhole(bytes) { salvage.damagedCount = max(1, salvage.damagedCount) }
    return salvage
  }

  /// The next sound record, here or further on.
  private mutating func nextRecord() -> (offset: Int, prefix: RecordPrefix)? {
    var offset = position
    while offset < bytes.count, budget > 0 {
      if let prefix = RecordPrefix(view, at: offset) {
        let record = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + prefix.size)])
        if prefix.matches(record, at: offset) { return (offset, prefix) }
        budget -= prefix.length
      }
      offset += 1
    }
    return nil
  }

  /// Reads the key and the value of a sound record.
  private mutating func read(_ prefix: RecordPrefix, at offset: Int) {
    let record = ByteView(bytes).prefix(offset + prefix.length)
    guard
      let table = RecordObjects(record, from: offset, referenceSize: prefix.referenceSize),
      let entry = table.entry(firstObject: prefix.keyObject, in: record)
    else {
      salvage.damagedCount += 1
      return
    }
    nextObject = prefix.keyObject + table.count
    if let last = salvage.entries.last?.key, !last.utf8.lexicographicallyPrecedes(entry.key.utf8) {
      salvage.damagedCount += 1
      return
    }
    salvage.entries.append(entry)
  }

  /// Counts the records lost before an object: each had two objects or more.
  private mutating func countLost(before object: Int) {
    salvage.damagedCount += max(1, (object - nextObject) / 2)
  }

  /// Whether the top dictionary begins here and has as many keys as there were records.
  private var isAtEndOfRecords: Bool {
    guard let header = BinaryObjectHeader(view, at: position), header.type == 0xD else {
      return false
    }
    return header.count == salvage.entries.count + salvage.damagedCount
  }

  /// How many records are missing by the top dictionary's count, if that can be believed.
  private var lostByCount: Int? {
    guard
      let trailer = BinaryTrailer(view),
      let count = BinaryReader.topDictionary(view, trailer)?.count,
      count >= salvage.entries.count
    else { return nil }
    return count - salvage.entries.count
  }
}
