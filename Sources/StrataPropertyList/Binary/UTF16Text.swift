// Decodes the big-endian UTF-16 of binary property lists, and finds out whether bytes are ASCII.
//
// Safety: reads of eight bytes end at `count` rounded down to a multiple of eight, and reads of a
// unit follow a check that two bytes are left. A unit becomes at most three bytes of UTF-8, and a
// surrogate pair four, so the requested capacity of three bytes per unit is always enough.

extension UnsafeRawBufferPointer {
  /// Whether no byte is greater than 0x7F; checks eight at a time.
  package var isASCII: Bool {
    let words = count / 8
    var seen: UInt64 = 0
    for word in 0..<words {
      seen |= loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
    }
    for offset in (words * 8)..<count { seen |= UInt64(self[offset]) }
    return seen & 0x8080_8080_8080_8080 == 0
  }
}

extension String {
  /// Decodes big-endian UTF-16; nil if a surrogate is unpaired.
  package init?(bigEndianUTF16 bytes: UnsafeRawBufferPointer) {
    var isValid = true
    self.init(unsafeUninitializedCapacity: bytes.count / 2 * 3) { utf8 in
      var used = 0
      var position = 0
      while let scalar = bytes.nextScalar(&position) {
        used += utf8.put(scalar, at: used)
      }
      isValid = position == bytes.count
      return isValid ? used : 0
    }
    guard isValid else { return nil }
  }
}

extension UnsafeRawBufferPointer {
  /// Decodes the scalar at `position` of big-endian UTF-16, and advances past it.
  ///
  /// Nil, without advancing, at the end and at an unpaired surrogate.
  package func nextScalar(_ position: inout Int) -> Unicode.Scalar? {
    guard let first = unit(at: position) else { return nil }
    if let scalar = Unicode.Scalar(first) {
      position += 2
      return scalar
    }
    guard
      UTF16.isLeadSurrogate(first),
      let second = unit(at: position + 2), UTF16.isTrailSurrogate(second)
    else { return nil }
    position += 4
    return Unicode.Scalar(0x1_0000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF)
  }

  private func unit(at position: Int) -> UInt16? {
    guard count - position >= 2 else { return nil }
    return UInt16(bigEndian: loadUnaligned(fromByteOffset: position, as: UInt16.self))
  }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes a scalar as UTF-8, and returns its size in bytes.
  func put(_ scalar: Unicode.Scalar, at offset: Int) -> Int {
    let value = scalar.value
    func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (value >> shift) & 0x3F) }
    switch value {
    case ..<0x80:
      self[offset] = UInt8(value)
      return 1
    case ..<0x800:
      self[offset] = UInt8(0xC0 | value >> 6)
      self[offset + 1] = tail(0)
      return 2
    case ..<0x1_0000:
      self[offset] = UInt8(0xE0 | value >> 12)
      self[offset + 1] = tail(6)
      self[offset + 2] = tail(0)
      return 3
    default:
      self[offset] = UInt8(0xF0 | value >> 18)
      self[offset + 1] = tail(12)
      self[offset + 2] = tail(6)
      self[offset + 3] = tail(0)
      return 4
    }
  }
}
