import CStrata

/// The identity of a plist file's content: its length and checksum, or that there is no file.
struct PlistIdentity: Equatable, Sendable {
  let size: UInt64
  let checksum: UInt32

  static let absent = PlistIdentity(size: .max, checksum: 0)

  /// The identity of a file that could not be read: no content has it.
  static let unknown = PlistIdentity(size: .max - 1, checksum: 0)

  init(size: UInt64, checksum: UInt32) {
    self.size = size
    self.checksum = checksum
  }

  init(of bytes: [UInt8]) {
    self.init(size: UInt64(bytes.count), checksum: checksum32(bytes))
  }
}

// Safety: the checksum reads exactly the array's bytes.
/// CRC-32C of `bytes`.
func checksum32(_ bytes: [UInt8]) -> UInt32 {
  bytes.withUnsafeBytes { strata_crc32c(0, $0.baseAddress, $0.count) }
}
