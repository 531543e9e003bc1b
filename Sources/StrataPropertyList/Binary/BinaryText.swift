/// The characters of a string of a binary property list, where they lie: ASCII, or big-endian
/// UTF-16.
///
/// Safety: `ByteView.slice` returned the bytes, so they are within the view; they are valid as long
/// as that is. A comparison ends with the shorter count, or goes by `nextScalar`, which checks.
package struct BinaryText {
  private let bytes: UnsafeRawBufferPointer
  package let isASCII: Bool

  /// The characters of an object; nil if it is no string, or cut short.
  package init?(of header: BinaryObjectHeader, in objects: ByteView) {
    guard header.type == 0x5 || header.type == 0x6 else { return nil }
    let width = header.type == 0x5 ? 1 : 2
    guard
      header.count <= objects.count,
      let bytes = objects.slice(at: header.content, length: width * header.count)
    else { return nil }
    self.bytes = bytes
    isASCII = width == 1
  }

  /// The text; nil if it has an unpaired surrogate.
  package var string: String? {
    isASCII ? String(decoding: bytes, as: UTF8.self) : String(bigEndianUTF16: bytes)
  }

  /// How the text is ordered, by its bytes in UTF-8, to another one: below, at or above zero.
  package func order(to other: UnsafeBufferPointer<UInt8>) -> Int {
    isASCII ? orderOfASCII(to: other) : orderOfUTF16(to: other)
  }

  private func orderOfASCII(to other: UnsafeBufferPointer<UInt8>) -> Int {
    let shared = min(bytes.count, other.count)
    for offset in 0..<shared where bytes[offset] != other[offset] {
      return bytes[offset] < other[offset] ? -1 : 1
    }
    return bytes.count - other.count
  }

  /// Compares by scalars, whose order is that of their bytes in UTF-8.
  private func orderOfUTF16(to other: UnsafeBufferPointer<UInt8>) -> Int {
    var position = 0
    for scalar in String(decoding: other, as: UTF8.self).unicodeScalars {
      guard let next = bytes.nextScalar(&position) else { return -1 }
      if next != scalar { return next < scalar ? -1 : 1 }
    }
    return bytes.count - position
  }
}
