import StrataPropertyList

extension CheckedPlist {
  /// Hostile bytes with every checksum made right, so that tests reach what lies behind them.
  ///
  /// Records are signed as long as each follows the one before; then the file is.
  package static func resigned(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= BinaryTrailer.size + BinaryTrailer.header.count else { return bytes }
    var bytes = bytes
    bytes.withUnsafeMutableBytes { signRecords($0) }
    sign(&bytes)
    return bytes
  }

  private static func signRecords(_ bytes: UnsafeMutableRawBufferPointer) {
    var place = BinaryTrailer.header.count
    while let prefix = RecordPrefix(ByteView(UnsafeRawBufferPointer(bytes)), at: place) {
      let end = place + RecordPrefix.size + prefix.length
      RecordPrefix.write(
        over: UnsafeMutableRawBufferPointer(rebasing: bytes[place..<end]), at: place,
        referenceSize: prefix.referenceSize, keyObject: prefix.keyObject)
      place = end
    }
  }
}
