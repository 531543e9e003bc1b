import CStrata

/// One change set as it lies in a journal, 8-aligned:
///
///     offset  size
///     0       4     mark: the salt of the journal if the record counts
///     4       4     checksum of the record before
///     8       4     checksum
///     12      4     length of the change set
///     16            the change set, and padding to a multiple of 8
///
/// The salt is the lower half of the journal's id. The checksum covers everything else and the
/// record's offset, so that no record of another journal, and none at another place, counts. The
/// checksums of the records before make a chain: after a power cut it distinguishes a record that
/// follows the one in front of it from one that once followed another. It is 0 where the record
/// before is durable anyway: at the beginning, and behind records that a checkpoint covers or that
/// were carried over.
enum JournalRecord {
  static let headerSize = 16

  static func size(payload: Int) -> Int { (headerSize + payload + 7) & ~7 }

  // Safety: the caller has room for `size(payload:)` bytes.
  /// Writes the header, except for its mark, of a record whose change set is already in place.
  /// - Returns: the record's checksum.
  @inline(__always)
  static func seal(
    _ record: UnsafeMutableRawPointer, payload: Int, salt: UInt32, previous: UInt32, offset: Int
  ) -> UInt32 {
    let length = size(payload: payload)
    for index in headerSize + payload..<length {
      record.storeBytes(of: 0, toByteOffset: index, as: UInt8.self)
    }
    record.storeBytes(of: previous.littleEndian, toByteOffset: 4, as: UInt32.self)
    record.storeBytes(of: UInt32(payload).littleEndian, toByteOffset: 12, as: UInt32.self)
    let sum = checksum(record, payload: payload, salt: salt, previous: previous, offset: offset)
    record.storeBytes(of: sum.littleEndian, toByteOffset: 8, as: UInt32.self)
    return sum
  }

  /// The bytes of a whole record, for a journal that is being made.
  static func bytes(
    _ changes: ChangeSet, salt: UInt32, previous: UInt32, offset: Int
  ) -> (bytes: [UInt8], sum: UInt32) {
    let payload = RecordWriter.size(of: changes)
    let length = size(payload: payload)
    var sum: UInt32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      guard let base = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      var writer = RecordWriter(at: base + headerSize)
      writer.put(changes)
      sum = seal(base, payload: payload, salt: salt, previous: previous, offset: offset)
      base.storeBytes(of: salt.littleEndian, as: UInt32.self)
      count = length
    }
    return (bytes, sum)
  }

  // Safety: the caller has room for `size(payload:)` bytes.
  /// Writes a whole record with a change set as it is stored elsewhere, for a journal that is being
  /// made.
  /// - Returns: the record's checksum.
  static func copy(
    _ payload: UnsafeRawBufferPointer, to record: UnsafeMutableRawPointer, salt: UInt32,
    previous: UInt32, offset: Int
  ) -> UInt32 {
    if let start = payload.baseAddress {
      (record + headerSize).copyMemory(from: start, byteCount: payload.count)
    }
    record.storeBytes(of: salt.littleEndian, as: UInt32.self)
    return seal(
      record, payload: payload.count, salt: salt, previous: previous, offset: offset)
  }

  /// A record that was found to be sound.
  struct Sound {
    let length: Int
    let sum: UInt32
    let previous: UInt32
    let payload: UnsafeRawBufferPointer

    /// Whether it was written behind the record with that checksum; nil if that is not known.
    func follows(_ last: UInt32?) -> Bool { last == nil || previous == 0 || previous == last }
  }

  /// The sound record at `position` of `bytes`; nil if there is none.
  /// - Parameter offset: where in the journal `bytes` begins.
  static func check(
    _ bytes: UnsafeRawBufferPointer, at position: Int, salt: UInt32?, offset: Int
  ) -> Sound? {
    guard bytes.count - position >= headerSize else { return nil }
    func word(_ at: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + at, as: UInt32.self))
    }
    let ownSalt = word(0)
    let payload = Int(word(12))
    let length = size(payload: payload)
    guard salt == nil || salt == ownSalt, length <= bytes.count - position, payload > 0,
      let base = bytes.baseAddress
    else { return nil }
    let sum = checksum(
      base + position, payload: payload, salt: ownSalt, previous: word(4),
      offset: offset + position)
    guard sum == word(8) else { return nil }
    return Sound(
      length: length, sum: sum, previous: word(4), payload: self.payload(of: bytes, at: position))
  }

  /// The change set of a record that was found to be sound.
  static func payload(of bytes: UnsafeRawBufferPointer, at position: Int) -> UnsafeRawBufferPointer
  {
    let start = position + headerSize
    let size = bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
    return UnsafeRawBufferPointer(
      rebasing: bytes[start..<start + Int(UInt32(littleEndian: size))])
  }

  /// How many bytes `check` sums up at `position`, where a record's header must fit; 0 if it sees
  /// at once that there is no record.
  static func checkCost(_ bytes: UnsafeRawBufferPointer, at position: Int, salt: UInt32?) -> Int {
    func word(_ at: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + at, as: UInt32.self))
    }
    let payload = Int(word(12))
    guard salt == nil || salt == word(0), size(payload: payload) <= bytes.count - position else {
      return 0
    }
    return payload
  }

  private static func checksum(
    _ record: UnsafeRawPointer, payload: Int, salt: UInt32, previous: UInt32, offset: Int
  ) -> UInt32 {
    var covered = (
      UInt64(salt) << 32 | UInt64(truncatingIfNeeded: payload),
      UInt64(previous) << 32 | UInt64(truncatingIfNeeded: offset)
    )
    covered.0 = covered.0.littleEndian
    covered.1 = covered.1.littleEndian
    let seed = withUnsafeBytes(of: &covered) { strata_crc32c(0, $0.baseAddress, 16) }
    return strata_crc32c(seed, record + headerSize, payload)
  }
}
