/// Writes objects of each type.
///
/// Safety: strings and numbers lend their bytes for one append, which copies exactly their count.
extension BinaryWriter {
  /// Appends a string object: ASCII if possible, otherwise UTF-16.
  package mutating func append(_ string: String) {
    beginObject()
    var string = string
    let isASCII = string.withUTF8 { utf8 in
      let utf8 = UnsafeRawBufferPointer(utf8)
      guard utf8.isASCII else { return false }
      appendHeader(type: 0x50, count: utf8.count)
      bytes.append(contentsOf: utf8)
      return true
    }
    guard !isASCII else { return }
    appendHeader(type: 0x60, count: string.utf16.count)
    for unit in string.utf16 { append(bigEndian: unit) }
  }

  mutating func append(_ value: Int64) {
    switch value {
    case 0..<0x100: appendObject(marker: 0x10, UInt8(truncatingIfNeeded: value))
    case 0..<0x1_0000: appendObject(marker: 0x11, UInt16(truncatingIfNeeded: value))
    case 0..<0x1_0000_0000: appendObject(marker: 0x12, UInt32(truncatingIfNeeded: value))
    default: appendObject(marker: 0x13, UInt64(bitPattern: value))
    }
  }

  mutating func append(_ value: UInt64) {
    if let signed = Int64(exactly: value) { return append(signed) }
    appendObject(marker: 0x14, UInt64(0))
    append(bigEndian: value)
  }

  mutating func append(_ data: [UInt8]) {
    beginObject()
    appendHeader(type: 0x40, count: data.count)
    bytes.append(contentsOf: data)
  }

  mutating func appendUID(_ value: UInt64) {
    switch value {
    case ..<0x100: appendObject(marker: 0x80, UInt8(value))
    case ..<0x1_0000: appendObject(marker: 0x81, UInt16(value))
    case ..<0x1_0000_0000: appendObject(marker: 0x83, UInt32(value))
    default: appendObject(marker: 0x87, value)
    }
  }

  mutating func append(_ elements: [PropertyListValue]) {
    beginObject()
    appendHeader(type: 0xA0, count: elements.count)
    var place = reserveReferences(elements.count)
    for element in elements {
      fill(&place, with: nextObject)
      append(element)
    }
  }

  mutating func append(_ entries: [String: PropertyListValue]) {
    let sorted = KeyOrder.sorted(entries)
    beginObject()
    appendHeader(type: 0xD0, count: sorted.count)
    var place = reserveReferences(2 * sorted.count)
    for entry in sorted {
      fill(&place, with: nextObject)
      append(entry.key)
    }
    for entry in sorted {
      fill(&place, with: nextObject)
      append(entry.value)
    }
  }
}

/// Writes the parts of an object.
extension BinaryWriter {
  mutating func appendHeader(type: UInt8, count: Int) {
    guard count >= 15 else { return bytes.append(type | UInt8(count)) }
    bytes.append(type | 0xF)
    let width = Self.width(of: count)
    bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
    append(bigEndian: count, width: width)
  }

  mutating func appendObject(marker: UInt8) {
    beginObject()
    bytes.append(marker)
  }

  mutating func appendObject<Number: FixedWidthInteger>(marker: UInt8, _ number: Number) {
    beginObject()
    bytes.append(marker)
    append(bigEndian: number)
  }

  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(bigEndian number: Int, width: Int) {
    switch width {
    case 1: bytes.append(UInt8(truncatingIfNeeded: number))
    case 2: append(bigEndian: UInt16(truncatingIfNeeded: number))
    case 4: append(bigEndian: UInt32(truncatingIfNeeded: number))
    default: append(bigEndian: number)
    }
  }

  private mutating func reserveReferences(_ count: Int) -> Int {
    let place = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: count * referenceSize))
    return place
  }

  private mutating func fill(_ place: inout Int, with number: Int) {
    for shift in stride(from: 8 * (referenceSize - 1), through: 0, by: -8) {
      bytes[place] = UInt8(truncatingIfNeeded: number >> shift)
      place += 1
    }
  }
}
