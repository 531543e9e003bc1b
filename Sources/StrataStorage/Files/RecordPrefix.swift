import CStrata
import StrataPropertyList

/// The 15 bytes before each record of a domain's file, which check the record.
///
/// Safety: a prefix is only made where it lies within the view, and the length that it gives within
/// the file; `matches` is given a whole record, cut by that length. That has 15 bytes at least, so
/// the fields at fixed places and the checksum from byte 7 on are within it.
struct RecordPrefix {
  static let size = 15
  static let start: [UInt8] = [0x4E, 0xA7]

  var referenceSize: Int
  var checksum: UInt32
  /// The length of the record after its prefix.
  var length: Int
  /// The number of the key's object; the value's is the next one.
  var keyObject: Int

  /// The size of the record, prefix included.
  var size: Int { Self.size + length }

  /// The prefix at an offset, if there is one and its record could fit in the file.
  init?(_ view: ByteView, at offset: Int) {
    self.init(view, at: offset, room: view.count - offset)
  }

  /// The same where the file goes on for `room` bytes from there, whatever the view holds of them.
  init?(_ view: ByteView, at offset: Int, room: Int) {
    guard
      view.byte(at: offset) == Self.start[0], view.byte(at: offset + 1) == Self.start[1],
      let referenceSize = view.byte(at: offset + 2), [1, 2, 4, 8].contains(referenceSize),
      let checksum = view.littleEndian32(at: offset + 3),
      let length = view.littleEndian32(at: offset + 7),
      let keyObject = view.littleEndian32(at: offset + 11),
      Int(length) <= room - Self.size
    else { return nil }
    self.referenceSize = Int(referenceSize)
    self.checksum = checksum
    self.length = Int(length)
    self.keyObject = Int(keyObject)
  }

  /// Whether the bytes of the record at `offset`, prefix included, are as they were written.
  func matches(_ record: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    Self.checksum(record, at: offset) == checksum
  }

  /// The checksum that belongs in the prefix of a whole record.
  static func checksum(_ record: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    let position = UInt64(offset).littleEndian
    let seed = withUnsafeBytes(of: position) { strata_crc32c(0, $0.baseAddress, $0.count) }
    let size = strata_crc32c(seed, record.baseAddress?.advanced(by: 2), 1)
    return strata_crc32c(size, record.baseAddress?.advanced(by: 7), record.count - 7)
  }

  /// Writes a prefix over the first bytes of a whole record that lies at `offset` of its file.
  static func write(
    over record: UnsafeMutableRawBufferPointer, at offset: Int, referenceSize: Int, keyObject: Int
  ) {
    record[0] = start[0]
    record[1] = start[1]
    record[2] = UInt8(referenceSize)
    put(UInt32(truncatingIfNeeded: record.count - size), in: record, at: 7)
    put(UInt32(truncatingIfNeeded: keyObject), in: record, at: 11)
    put(checksum(UnsafeRawBufferPointer(record), at: offset), in: record, at: 3)
  }

  private static func put(
    _ number: UInt32, in record: UnsafeMutableRawBufferPointer, at offset: Int
  ) {
    record.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt32.self)
  }
}
