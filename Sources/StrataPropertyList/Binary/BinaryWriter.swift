/// Appends objects of a binary property list to a buffer, and records where each begins.
///
/// Objects are numbered as they are written: a container before its contents, a dictionary's keys
/// before its values. Objects are never shared, and dictionaries are written in key order, so that
/// equal values produce equal bytes.
package struct BinaryWriter {
  package var bytes: [UInt8] = []
  package private(set) var offsets: [Int] = []
  package let referenceSize: Int

  /// A writer for at most `objectCount` objects; begins with the header of the file.
  package init(objectCount: Int, byteEstimate: Int = 0) {
    referenceSize = Self.width(of: objectCount)
    bytes.reserveCapacity(byteEstimate)
    offsets.reserveCapacity(objectCount)
    bytes.append(contentsOf: BinaryTrailer.header)
  }

  /// The width in bytes, 1, 2, 4 or 8, of a number from 0 to `max`.
  package static func width(of max: Int) -> Int {
    switch max {
    case ..<0x100: 1
    case ..<0x1_0000: 2
    case ..<0x1_0000_0000: 4
    default: 8
    }
  }

  /// The number that the next object will have.
  package var nextObject: Int { offsets.count }

  /// Starts the next object at the current end of the buffer.
  mutating func beginObject() {
    offsets.append(bytes.count)
  }

  /// Appends a value, with everything that it contains.
  package mutating func append(_ value: PropertyListValue) {
    switch value {
    case .string(let value): append(value)
    case .boolean(let value): appendObject(marker: value ? 0x09 : 0x08)
    case .integer(let value): append(value)
    case .unsigned(let value): append(value)
    case .real(let value): appendObject(marker: 0x23, value.bitPattern)
    case .single(let value): appendObject(marker: 0x22, value.bitPattern)
    case .date(let value): appendObject(marker: 0x33, value.secondsSinceReference.bitPattern)
    case .data(let value): append(value)
    case .uid(let value): appendUID(value)
    case .array(let value): append(value)
    case .dictionary(let value): append(value)
    }
  }

  /// Appends a dictionary object for keys and values that are written separately.
  package mutating func appendDictionary(keys: [Int], values: [Int]) {
    beginObject()
    appendHeader(type: 0xD0, count: keys.count)
    for key in keys { append(bigEndian: key, width: referenceSize) }
    for value in values { append(bigEndian: value, width: referenceSize) }
  }

  /// Appends the table of offsets and the trailer, which ends the file.
  package mutating func finish(topObject: Int) {
    let tableOffset = bytes.count
    let offsetSize = Self.width(of: tableOffset)
    for offset in offsets { append(bigEndian: offset, width: offsetSize) }
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    append(bigEndian: offsets.count, width: 8)
    append(bigEndian: topObject, width: 8)
    append(bigEndian: tableOffset, width: 8)
  }
}
