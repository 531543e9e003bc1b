/// Reads strings: ASCII with one byte per character, all others in big-endian UTF-16.
extension BinaryReader {
  mutating func asciiString(_ header: BinaryObjectHeader) throws(PropertyListError) -> String {
    guard let bytes = objects.slice(at: header.content, length: header.count) else {
      throw .truncated(at: header.offset)
    }
    guard bytes.isASCII else {
      throw .at(header.offset, .invalidText, "an ASCII string has a byte past 0x7F; write it again")
    }
    try spendBytes(header.count, at: header.offset)
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func utf16String(_ header: BinaryObjectHeader) throws(PropertyListError) -> String {
    guard
      header.count <= objects.count,
      let bytes = objects.slice(at: header.content, length: 2 * header.count)
    else { throw .truncated(at: header.offset) }
    try spendBytes(3 * header.count, at: header.offset)
    guard let string = String(bigEndianUTF16: bytes) else {
      throw .at(header.offset, .invalidText, "a string has an unpaired surrogate; write it again")
    }
    return string
  }
}
