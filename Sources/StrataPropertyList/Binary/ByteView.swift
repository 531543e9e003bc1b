/// A bounds-checked view of bytes that the caller keeps alive.
///
/// Safety: a view is created inside `withUnsafeBytes` and never leaves that call; every access goes
/// through one of the checks below, so that no offset from a file can reach outside.
package struct ByteView {
  private let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  package var count: Int { bytes.count }

  /// The first `length` bytes, or all of them if there are fewer.
  package func prefix(_ length: Int) -> ByteView {
    ByteView(UnsafeRawBufferPointer(rebasing: bytes.prefix(max(0, length))))
  }

  package func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[offset] : nil
  }

  /// `length` bytes from `offset`; nil if they are not all there.
  package func slice(at offset: Int, length: Int) -> UnsafeRawBufferPointer? {
    guard contains(offset: offset, length: length) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
  }

  /// A big-endian number of 1 to 8 bytes; nil if they are not all there.
  package func bigEndian(at offset: Int, width: Int) -> UInt64? {
    guard contains(offset: offset, length: width) else { return nil }
    switch width {
    case 1: return UInt64(bytes[offset])
    case 2: return UInt64(UInt16(bigEndian: load(offset)))
    case 4: return UInt64(UInt32(bigEndian: load(offset)))
    case 8: return UInt64(bigEndian: load(offset))
    case 3, 5, 6, 7: return bytes[offset..<(offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
    default: return nil
    }
  }

  /// A little-endian number of 4 bytes; nil if they are not all there.
  package func littleEndian32(at offset: Int) -> UInt32? {
    guard contains(offset: offset, length: 4) else { return nil }
    return UInt32(littleEndian: load(offset))
  }

  private func contains(offset: Int, length: Int) -> Bool {
    offset >= 0 && length >= 0 && offset <= bytes.count && length <= bytes.count - offset
  }

  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    bytes.loadUnaligned(fromByteOffset: offset, as: Number.self)
  }
}
