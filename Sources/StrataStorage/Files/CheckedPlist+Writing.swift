package import StrataPropertyList

/// Writes a domain's file.
///
/// Safety: the prefix is written over the last record of the buffer, which begins with 15 zeros
/// that are there for it; the checksum is copied over four bytes of a trailer just appended.
extension CheckedPlist {
  /// The file that holds `entries`, whose keys are distinct and may come in any order.
  ///
  /// The caller has made sure that no value is nested deeper than property lists may be.
  package static func encode(_ entries: [(key: String, value: PropertyListValue)]) -> [UInt8] {
    encode(entries, holding: nil)
  }

  /// The same, which says of itself what it holds.
  static func encode(
    _ entries: [(key: String, value: PropertyListValue)], holding held: JournalKnowledge?
  ) -> [UInt8] {
    var writer = BinaryWriter(
      objectCount: objectCount(entries), byteEstimate: 64 + 64 * entries.count)
    let order = KeyOrder.positions(ofEntries: entries)
    var keys: [Int] = []
    keys.reserveCapacity(entries.count)
    for position in order {
      keys.append(writer.nextObject)
      append(entries[position], to: &writer)
    }
    let top = writer.nextObject
    writer.appendDictionary(keys: keys, values: keys.map { $0 + 1 })
    if let held { writer.bytes += HeldRecords.bytes(held) }
    writer.finish(topObject: top)
    sign(&writer.bytes)
    return writer.bytes
  }

  private static func append(
    _ entry: (key: String, value: PropertyListValue), to writer: inout BinaryWriter
  ) {
    let start = writer.bytes.count
    let keyObject = writer.nextObject
    let referenceSize = writer.referenceSize
    writer.bytes.append(contentsOf: repeatElement(0, count: RecordPrefix.size))
    writer.append(entry.key)
    writer.append(entry.value)
    writer.bytes.withUnsafeMutableBytes { bytes in
      RecordPrefix.write(
        over: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), at: start,
        referenceSize: referenceSize, keyObject: keyObject)
    }
  }

  /// Puts the mark and the checksum into the unused bytes of the trailer.
  static func sign(_ bytes: inout [UInt8]) {
    let offset = bytes.count - BinaryTrailer.size
    bytes[offset] = mark
    let checksum = bytes.withUnsafeBytes { Self.checksums($0).checked }
    withUnsafeBytes(of: checksum.littleEndian) { stored in
      bytes.replaceSubrange((offset + 1)..<(offset + 5), with: stored)
    }
  }

  private static func objectCount(_ entries: [(key: String, value: PropertyListValue)]) -> Int {
    do throws(PropertyListError) {
      var count = 1 + entries.count
      for entry in entries { count += try entry.value.objectCount(depth: 1) }
      return count
    } catch {
      preconditionFailure("a value for a domain's file was not checked before: \(error)")
    }
  }
}
