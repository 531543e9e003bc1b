/// Reads numbers, dates, data and UIDs.
extension BinaryReader {
  func boolean(_ header: BinaryObjectHeader) throws(PropertyListError) -> Bool {
    switch header.count {
    case 0x8: return false
    case 0x9: return true
    case 0x0: throw .at(header.offset, .unsupported, "null has no property-list form; remove it")
    default:
      throw .at(header.offset, .unsupported, "unknown object type; remove the object")
    }
  }

  func integer(_ header: BinaryObjectHeader) throws(PropertyListError) -> PropertyListValue {
    if header.count == 4 { return try wideInteger(header) }
    let number = try number(header, widthMax: 8)
    return .integer(Int64(bitPattern: number))
  }

  private func wideInteger(
    _ header: BinaryObjectHeader
  ) throws(PropertyListError) -> PropertyListValue {
    guard
      let high = objects.bigEndian(at: header.content, width: 8),
      let low = objects.bigEndian(at: header.content + 8, width: 8)
    else { throw .truncated(at: header.offset) }
    let signed = Int64(bitPattern: low)
    if high == 0 { return signed >= 0 ? .integer(signed) : .unsigned(low) }
    guard high == .max, signed < 0 else {
      throw .at(
        header.offset, .invalidNumber,
        "a 128-bit integer does not fit into 64 bits; use a string")
    }
    return .integer(signed)
  }

  func real(_ header: BinaryObjectHeader) throws(PropertyListError) -> PropertyListValue {
    let bits = try number(header, widthMax: 8)
    switch header.count {
    case 2: return .single(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 3: return .real(Double(bitPattern: bits))
    default:
      throw .at(header.offset, .malformed, "a real number is not 4 or 8 bytes long; write it again")
    }
  }

  func date(_ header: BinaryObjectHeader) throws(PropertyListError) -> PropertyListDate {
    guard header.count == 3 else {
      throw .at(header.offset, .malformed, "a date is not 8 bytes long; write it again")
    }
    let bits = try number(header, widthMax: 8)
    return PropertyListDate(secondsSinceReference: Double(bitPattern: bits))
  }

  mutating func data(_ header: BinaryObjectHeader) throws(PropertyListError) -> [UInt8] {
    guard let bytes = objects.slice(at: header.content, length: header.count) else {
      throw .truncated(at: header.offset)
    }
    try spendBytes(header.count, at: header.offset)
    return [UInt8](bytes)
  }

  func uid(_ header: BinaryObjectHeader) throws(PropertyListError) -> UInt64 {
    guard let number = objects.bigEndian(at: header.content, width: header.count + 1) else {
      guard header.count < 8 else {
        throw .at(header.offset, .invalidNumber, "a UID does not fit into 64 bits; write it again")
      }
      throw .truncated(at: header.offset)
    }
    return number
  }

  mutating func spendBytes(_ count: Int, at offset: Int) throws(PropertyListError) {
    bytesLeft -= count
    guard bytesLeft >= 0 else { throw expandsTooFar(at: offset) }
  }

  private func number(
    _ header: BinaryObjectHeader, widthMax: Int
  ) throws(PropertyListError) -> UInt64 {
    let width = 1 << header.count
    guard width <= widthMax else {
      throw .at(header.offset, .malformed, "a number is \(width) bytes long; write it again")
    }
    guard let number = objects.bigEndian(at: header.content, width: width) else {
      throw .truncated(at: header.offset)
    }
    return number
  }
}
