package import StrataPropertyList

/// Finds a key in a domain's file by reading a few of its records.
///
/// Where to look is a guess. What is found is proved by the checksums of the records, which cover
/// where each of them stands: by the key's own record, or by two records, one beside the other,
/// between whose keys the key would be. So damage elsewhere changes nothing, and damage here makes
/// nothing wrong. And it is proved by the file's table of offsets, since a value may hold what
/// looks like a record of another key: where one was found by a guess, that key must begin.
///
/// Safety: each look lends the bytes of one record to a `ByteView`, which checks every access, and
/// which ends with the look.
package struct RecordSearch {
  package enum Result {
    case value(PropertyListValue)
    case absent
    /// The whole file must be read.
    case unproved
  }

  private let plistEnd: PlistEnd
  private let read: Read

  /// Reads bytes of the file; fewer if it ends there.
  typealias Read = @Sendable (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]

  /// The bytes that were read last, and where they begin.
  private var window: [UInt8] = []
  private var windowStart = 0
  /// How many more bytes may be read, or summed in vain: a search must cost less than reading the
  /// file.
  private var budget: Int

  /// How much is read at once.
  private let windowSize: Int

  /// - Parameter windowSize: by itself, dozens of records: reading less is not faster.
  init(_ end: PlistEnd, windowSize: Int = 4_096, read: @escaping Read) {
    plistEnd = end
    self.windowSize = windowSize
    self.read = read
    budget = max(16 * windowSize, end.recordsEnd / 4)
  }

  /// A search in a file that is in memory; nil if its end does not say that it is a domain's.
  package init?(_ bytes: [UInt8]) {
    let read = { @Sendable (offset: Int, count: Int) throws(StorageError) -> [UInt8] in
      Array(bytes.dropFirst(offset).prefix(count))
    }
    do throws(StorageError) {
      guard let end = try PlistEnd(size: bytes.count, read) else { return nil }
      self.init(end, read: read)
    } catch {
      return nil
    }
  }

  package mutating func find(_ key: String) throws(StorageError) -> Result {
    var key = key
    key.makeContiguousUTF8()
    // The key is not before this record, unless that is the first one.
    var start = BinaryTrailer.headerSize
    // The first record from here on, if there is one, is behind the key.
    var limit = end
    while limit - start > windowSize {
      let middle = start + (limit - start) / 2
      guard let record = try firstRecord(from: middle, before: limit) else {
        limit = middle
        continue
      }
      guard let order = record.order(to: key) else { return .unproved }
      if order == 0 { return try isTrue(record) ? record.result : .unproved }
      if order < 0 { start = record.start } else { limit = middle }
    }
    return try walk(from: start, to: key)
  }

  /// Goes from record to record, each of which begins where the one before ends.
  private mutating func walk(from start: Int, to key: String) throws(StorageError) -> Result {
    var position = start
    var isKnown = start == BinaryTrailer.headerSize
    while position < end {
      guard let record = try record(at: position), let order = record.order(to: key) else {
        return .unproved
      }
      if !isKnown {
        guard try isTrue(record) else { return .unproved }
        isKnown = true
      }
      if order == 0 { return record.result }
      if order > 0 { return .absent }
      position = record.end
    }
    // The top dictionary comes after the last record.
    let top = try bytes(at: end, count: 1)?.first
    return top.map { $0 >> 4 } == 0xD ? .absent : .unproved
  }

  private var end: Int { plistEnd.recordsEnd }

  /// Whether the table of offsets has the record's key where it stands.
  private func isTrue(_ record: Record) throws(StorageError) -> Bool {
    try plistEnd.offset(ofObject: record.prefix.keyObject, read) == record.start + RecordPrefix.size
  }

  // -- Records

  /// The first sound record that begins in a stretch.
  private mutating func firstRecord(
    from start: Int, before limit: Int
  ) throws(StorageError) -> Record? {
    var offset = start
    while offset < limit, let bytes = try bytes(at: offset, count: 1) {
      let rest = bytes.prefix(limit - offset)
      guard let found = rest.firstIndex(of: RecordPrefix.start[0]) else {
        offset += rest.count
        continue
      }
      offset += found - rest.startIndex
      if let record = try record(at: offset) { return record }
      offset += 1
    }
    return nil
  }

  /// The record that begins at an offset; nil if none does, or if its bytes have changed.
  private mutating func record(at offset: Int) throws(StorageError) -> Record? {
    guard let start = try bytes(at: offset, count: RecordPrefix.size) else { return nil }
    let prefix = start.withUnsafeBytes { RecordPrefix(ByteView($0), at: 0, room: end - offset) }
    guard let prefix, let bytes = try bytes(at: offset, count: prefix.size) else { return nil }
    let record = bytes.prefix(prefix.size)
    guard record.withUnsafeBytes({ prefix.matches($0, at: offset) }) else {
      budget -= prefix.size
      return nil
    }
    return Record(start: offset, prefix: prefix, bytes: record)
  }

  /// The bytes from an offset on, as many as are at hand, but at least so many; nil if the file
  /// ends before, or if reading on would cost too much.
  private mutating func bytes(
    at offset: Int, count: Int
  ) throws(StorageError) -> ArraySlice<UInt8>? {
    if budget < 0 { return nil }
    if offset < windowStart || offset + count > windowStart + window.count {
      let size = max(count, windowSize)
      budget -= size
      guard budget >= 0 else { return nil }
      window = try read(offset, size)
      windowStart = offset
    }
    let bytes = window.dropFirst(offset - windowStart)
    return bytes.count >= count ? bytes : nil
  }

  /// A sound record, prefix included.
  private struct Record {
    let start: Int
    let prefix: RecordPrefix
    let bytes: ArraySlice<UInt8>

    var end: Int { start + prefix.size }

    /// How its key is ordered to another one; nil if it has none.
    func order(to key: String) -> Int? {
      var key = key
      return bytes.withUnsafeBytes { buffer in
        let view = ByteView(buffer)
        guard let header = BinaryObjectHeader(view, at: RecordPrefix.size),
          let text = BinaryText(of: header, in: view)
        else { return nil }
        return key.withUTF8 { text.order(to: $0) }
      }
    }

    var result: Result {
      let entry = bytes.withUnsafeBytes { buffer in
        let view = ByteView(buffer)
        return RecordObjects(view, from: RecordPrefix.size, referenceSize: prefix.referenceSize)
          .flatMap { $0.entry(firstObject: prefix.keyObject, in: view) }
      }
      return entry.map { .value($0.value) } ?? .unproved
    }
  }
}
