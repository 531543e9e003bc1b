import StrataPropertyList

/// Corrects the checksums of bytes that were changed.
///
/// Safety: `RecordPrefix` is only made for a record that ends within the bytes, so the stretch that
/// is written over lies within them; they are lent for that one call.
extension CheckedPlist {
  /// Hostile bytes with every checksum corrected, so that tests reach what lies behind the checks.
  ///
  /// Records are signed as long as each follows the one before; then the file is.
  package static func resigned(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= BinaryTrailer.size + BinaryTrailer.headerSize else { return bytes }
    var bytes = bytes
    bytes.withUnsafeMutableBytes { signRecords($0) }
    sign(&bytes)
    return bytes
  }

  private static func signRecords(_ bytes: UnsafeMutableRawBufferPointer) {
    var offset = BinaryTrailer.headerSize
    while let prefix = RecordPrefix(ByteView(UnsafeRawBufferPointer(bytes)), at: offset) {
      let end = offset + prefix.size
      RecordPrefix.write(
        over: UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<end]), at: offset,
        referenceSize: prefix.referenceSize, keyObject: prefix.keyObject)
      offset = end
    }
  }
}
