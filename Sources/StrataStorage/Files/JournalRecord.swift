import CStrata

/// One change set as it lies in a journal, 8-aligned:
///
///     0 salt of the journal 4 · 4 length of all, padding included 4 · 8 checksum 4
///     12 length of the change set 4 · 16 the change set · padding to a multiple of 8
///
/// The checksum covers salt, lengths, the record's offset and the change set, so that neither a
/// record of another journal nor one at another place counts.
enum JournalRecord {
  static let headerSize = 16

  static func size(payload: Int) -> Int { (headerSize + payload + 7) & ~7 }

  // Safety: the caller has room for `size(payload:)` bytes.
  /// Writes the header of a record whose change set is already in its place.
  static func seal(
    _ record: UnsafeMutableRawPointer, payload: Int, salt: UInt32, offset: Int
  ) {
    let length = size(payload: payload)
    for index in headerSize + payload..<length {
      record.storeBytes(of: 0, toByteOffset: index, as: UInt8.self)
    }
    record.storeBytes(of: salt.littleEndian, as: UInt32.self)
    record.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 4, as: UInt32.self)
    record.storeBytes(of: UInt32(payload).littleEndian, toByteOffset: 12, as: UInt32.self)
    let sum = checksum(record, payload: payload, length: length, salt: salt, offset: offset)
    record.storeBytes(of: sum.littleEndian, toByteOffset: 8, as: UInt32.self)
  }

  /// A record of its own, for a journal that is being made.
  static func bytes(_ changes: ChangeSet, salt: UInt32, offset: Int) -> [UInt8] {
    let payload = RecordWriter.size(of: changes)
    let length = size(payload: payload)
    return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      var writer = RecordWriter(at: base + headerSize)
      writer.put(changes)
      seal(base, payload: payload, salt: salt, offset: offset)
      count = length
    }
  }

  /// The length of the sound record at `position` of `bytes`, and its change set's bytes.
  /// - Parameter offset: where in the journal `bytes` begins.
  static func check(
    _ bytes: UnsafeRawBufferPointer, at position: Int, salt: UInt32?, offset: Int
  ) -> (length: Int, payload: UnsafeRawBufferPointer)? {
    guard bytes.count - position >= headerSize else { return nil }
    func word(_ at: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + at, as: UInt32.self))
    }
    let ownSalt = word(0)
    let length = Int(word(4))
    let payload = Int(word(12))
    guard salt == nil || salt == ownSalt, length <= bytes.count - position, payload > 0,
      length == size(payload: payload), let base = bytes.baseAddress
    else { return nil }
    let sum = checksum(
      base + position, payload: payload, length: length, salt: ownSalt, offset: offset + position)
    guard sum == word(8) else { return nil }
    let start = position + headerSize
    return (length, UnsafeRawBufferPointer(rebasing: bytes[start..<start + payload]))
  }

  private static func checksum(
    _ record: UnsafeRawPointer, payload: Int, length: Int, salt: UInt32, offset: Int
  ) -> UInt32 {
    var covered = (
      UInt64(salt) << 32 | UInt64(truncatingIfNeeded: length),
      UInt64(truncatingIfNeeded: offset)
    )
    covered.0 = covered.0.littleEndian
    covered.1 = covered.1.littleEndian
    let seed = withUnsafeBytes(of: &covered) { strata_crc32c(0, $0.baseAddress, 16) }
    return strata_crc32c(seed, record + headerSize, payload)
  }
}
