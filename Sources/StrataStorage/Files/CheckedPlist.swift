import CStrata
import StrataPropertyList

/// The file of a domain: an ordinary binary property list whose bytes check themselves.
///
///     bplist00
///     record of the first key     prefix 15 bytes   key object   objects of the value
///     record of the second key    …
///     top dictionary
///     what the file holds         only where a checkpoint wrote it
///     table of offsets
///     trailer                     53, CRC-32C of all other bytes, 00, and the usual fields
///
/// Keys ascend by the bytes of their UTF-8. The prefix of a record is a data object that no table
/// mentions, so that every reader of property lists passes over it:
///
///     4E A7  reference size  CRC-32C  length of the rest  number of the key's object
///            1 byte          4 LE     4 LE                4 LE
///
/// The checksum of a record covers the other fields of its prefix, its bytes, and where in the file
/// it stands, so that a copy of a domain's file inside some value is never taken for a record.
///
/// Safety: bytes are lent for one look. Stretches of them are cut by `prefix`, `suffix` and
/// `dropFirst`, which stop at the ends, or read through `ByteView`; checksums go by the count of
/// what was cut, which is zero where there is nothing.
package enum CheckedPlist {
  /// What the bytes of a file are.
  package enum Verdict: Sendable {
    /// Written by us and unchanged since.
    case intact(Index)
    /// Written by us, and changed since.
    case damaged
    /// Written by another program, in any notation.
    case foreign
  }

  static let mark: UInt8 = 0x53

  /// Judges `bytes`.
  package static func inspect(_ bytes: [UInt8]) -> Verdict { judge(FileBytes(bytes)).verdict }

  /// Judges `bytes` and identifies them, in one pass over them.
  static func judge(_ bytes: FileBytes) -> (verdict: Verdict, identity: PlistIdentity) {
    bytes.withUnsafeBytes { buffer in
      let sums = checksums(buffer)
      let identity = PlistIdentity(size: UInt64(bytes.count), checksum: sums.all)
      let trailer = BinaryTrailer(ByteView(buffer))
      if let trailer, isWhole(buffer, sums.checked) {
        return (Index(bytes, trailer).map { .intact($0) } ?? .damaged, identity)
      }
      return (isOurs(buffer, trailer) ? .damaged : .foreign, identity)
    }
  }

  /// Whether the file has our mark and its checksum is right.
  static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    isMarked(bytes) && isWhole(bytes, checksums(bytes).checked)
  }

  private static func isWhole(_ bytes: UnsafeRawBufferPointer, _ checked: UInt32) -> Bool {
    isMarked(bytes) && BinaryTrailer.isHeader(of: ByteView(bytes))
      && ByteView(bytes).littleEndian32(at: bytes.count - BinaryTrailer.size + 1) == checked
  }

  /// Whether changed bytes still show that we wrote them.
  ///
  /// A sound property list of another program shows it by the zeros in its trailer, and by what
  /// follows its header, which is never a record.
  private static func isOurs(_ bytes: UnsafeRawBufferPointer, _ trailer: BinaryTrailer?) -> Bool {
    guard !bytes.isEmpty else { return false }
    if RecordPrefix(ByteView(bytes), at: BinaryTrailer.headerSize) != nil { return true }
    let isMarked = trailer != nil && isMarked(bytes)
    if zip(bytes, BinaryTrailer.header).allSatisfy(==) {
      return trailer == nil || !unusedBytes(bytes).allSatisfy { $0 == 0 }
    }
    return isMarked || !salvage(bytes).entries.isEmpty
  }

  private static func isMarked(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unusedBytes(bytes).first == mark
  }

  private static func unusedBytes(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>
  {
    bytes.suffix(BinaryTrailer.size).prefix(5)
  }

  /// The CRC-32C of a whole file; and, to be checked, of all but the four bytes that hold it.
  static func checksums(_ bytes: UnsafeRawBufferPointer) -> (all: UInt32, checked: UInt32) {
    let offset = max(0, bytes.count - BinaryTrailer.size + 1)
    let start = crc(0, bytes.prefix(offset))
    return (crc(start, bytes.dropFirst(offset)), crc(start, bytes.dropFirst(offset + 4)))
  }

  /// The identity that a file of ours has if its last 32 bytes are those, and the rest is as it was
  /// written; nil if it is not ours.
  static func identity(byEnd end: [UInt8], size: Int) -> PlistIdentity? {
    guard end.count == BinaryTrailer.size, end[0] == mark else { return nil }
    return end.withUnsafeBytes { end in
      guard let checked = ByteView(end).littleEndian32(at: 1) else { return nil }
      let start = crc(before: end.dropFirst(5), checked)
      return PlistIdentity(size: UInt64(size), checksum: crc(start, end.dropFirst(1)))
    }
  }

  /// The checksum of what came before `bytes`, if the checksum of all is `sum`.
  private static func crc(
    before bytes: Slice<UnsafeRawBufferPointer>, _ sum: UInt32
  ) -> UInt32 {
    var state = ~sum
    for byte in bytes.reversed() {
      for _ in 0..<8 {
        state = state >> 31 == 0 ? state << 1 : (state ^ polynomial) << 1 | 1
      }
      state ^= UInt32(byte)
    }
    return ~state
  }

  /// Of CRC-32C, the bits reversed.
  private static let polynomial: UInt32 = 0x82F6_3B78

  private static func crc(_ seed: UInt32, _ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
    let part = UnsafeRawBufferPointer(rebasing: bytes)
    return strata_crc32c(seed, part.baseAddress, part.count)
  }
}
