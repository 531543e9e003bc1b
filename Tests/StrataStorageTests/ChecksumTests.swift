import CStrata
import Testing

/// CRC-32C by the processor's instruction, and by the table for processors that lack it.
struct ChecksumTests {
  private typealias Checksum = @Sendable (UInt32, UnsafeRawPointer?, Int) -> UInt32

  private static let ways: [(name: String, sum: Checksum)] = [
    ("strata_crc32c", { strata_crc32c($0, $1, $2) }),
    ("strata_crc32c_portable", { strata_crc32c_portable($0, $1, $2) }),
  ]

  // S-9
  @Test func `both ways give the sums that RFC 3720 and every CRC catalogue print`() {
    let known: [(bytes: [UInt8], sum: UInt32)] = [
      ([], 0), (Array("123456789".utf8), 0xE306_9283),
      (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 255, count: 32), 0x62A8_AB43),
      (Array(0..<32), 0x46DD_794E),
    ]
    for (bytes, sum) in known {
      for way in Self.ways { #expect(way.sum(0, bytes, bytes.count) == sum, "\(way.name)") }
    }
  }

  // S-9
  @Test func `both ways give the sum of the definition for any length, start and seed`() {
    let bytes = (0..<120).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 7 &+ 3) }
    for start in 0..<9 {
      for length in 0...100 {
        let part = Array(bytes[start..<start + length])
        for seed: UInt32 in [0, 1, 0xE306_9283, .max] {
          let sum = Self.definition(seed, part)
          for way in Self.ways {
            let found = bytes.withUnsafeBytes {
              way.sum(seed, UnsafeRawBufferPointer(rebasing: $0[start...]).baseAddress, length)
            }
            #expect(found == sum, "\(way.name), \(length) bytes from \(start), seed \(seed)")
          }
        }
      }
    }
  }

  /// Bit by bit.
  private static func definition(_ seed: UInt32, _ bytes: [UInt8]) -> UInt32 {
    var crc = ~seed
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return ~crc
  }
}
