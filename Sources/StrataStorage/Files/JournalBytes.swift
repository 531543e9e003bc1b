/// A whole journal as bytes, for whoever examines files in which anyone may have written any byte.
///
/// Safety: no position is read unless a record's header, and then the record, fits behind it.
package enum JournalBytes {
  /// The change sets in these bytes: the journal's own, or any journal's if the header is corrupt.
  package static func changeSets(in bytes: [UInt8]) -> [ChangeSet] { scan(bytes).allChanges() }

  static func scan(_ bytes: [UInt8]) -> JournalScan {
    var header: JournalHeader?
    if case .header(let found) = JournalHeader.read(Array(bytes.prefix(JournalHeader.size))) {
      header = found
    }
    let records = Array(bytes.dropFirst(JournalLayout.recordsStart))
    return JournalScan(records, offset: JournalLayout.recordsStart, of: header)
  }

  /// A journal with these change sets.
  package static func encode(_ changeSets: [ChangeSet]) -> [UInt8] {
    let header = JournalHeader(on: .absent, nil, boot: BootID(high: 0, low: 1))
    var bytes = header.bytes
    bytes += [UInt8](repeating: 0, count: JournalLayout.recordsStart - bytes.count)
    var sum: UInt32 = 0
    for changes in changeSets {
      let record = JournalRecord.bytes(
        changes, salt: header.salt, previous: sum, offset: bytes.count)
      bytes += record.bytes
      sum = record.sum
    }
    return bytes
  }

  /// Hostile bytes with every checksum corrected, so that tests reach what lies behind the checks.
  package static func resigned(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > JournalLayout.recordsStart else { return bytes }
    var bytes = bytes
    bytes.withUnsafeMutableBytes { raw in
      let sum = JournalHeader.checksum(of: UnsafeRawBufferPointer(raw))
      raw.storeBytes(of: sum.littleEndian, toByteOffset: 12, as: UInt32.self)
      let salt = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
      signRecords(in: raw, salt)
    }
    return bytes
  }

  private static func signRecords(in raw: UnsafeMutableRawBufferPointer, _ salt: UInt32) {
    var position = JournalLayout.recordsStart
    var previous: UInt32 = 0
    while position + JournalRecord.headerSize <= raw.count, let base = raw.baseAddress {
      let word = raw.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
      let payload = Int(UInt32(littleEndian: word))
      let length = JournalRecord.size(payload: payload)
      guard payload > 0, length <= raw.count - position else { return }
      raw.storeBytes(of: salt.littleEndian, toByteOffset: position, as: UInt32.self)
      previous = JournalRecord.seal(
        base + position, payload: payload, salt: salt, previous: previous, offset: position)
      position += length
    }
  }
}
