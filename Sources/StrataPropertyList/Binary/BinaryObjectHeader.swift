/// The start of an object in a binary property list: its type, its size, and where its content is.
package struct BinaryObjectHeader {
  package let offset: Int
  package let type: UInt8
  /// The count of elements, characters or bytes; the low four bits for types that have no count.
  package let count: Int
  package let content: Int

  /// The length of the object's own bytes; nil for an unknown type.
  package func length(referenceSize: Int) -> Int? {
    guard let size = contentLength(referenceSize), !size.overflow else { return nil }
    let (length, overflow) = (content - offset).addingReportingOverflow(size.partialValue)
    return overflow ? nil : length
  }

  private func contentLength(_ referenceSize: Int) -> (partialValue: Int, overflow: Bool)? {
    switch type {
    case 0x0: (0, false)
    case 0x1, 0x2, 0x3: count <= 4 ? (1 << count, false) : nil
    case 0x4, 0x5: (count, false)
    case 0x6: count.multipliedReportingOverflow(by: 2)
    case 0x8: (count + 1, false)
    case 0xA: count.multipliedReportingOverflow(by: referenceSize)
    case 0xD: count.multipliedReportingOverflow(by: 2 * referenceSize)
    default: nil
    }
  }
}

extension BinaryObjectHeader {
  /// Reads the header at an offset; nil if it is cut short or its count is larger than the file.
  ///
  /// The content may still be cut short, which its reader checks.
  package init?(_ objects: ByteView, at offset: Int) {
    guard let marker = objects.byte(at: offset) else { return nil }
    self.offset = offset
    type = marker >> 4
    let small = Int(marker & 0xF)
    let isCounted = type >= 0x4 && type != 0x8
    if small == 0xF, isCounted {
      guard let long = Self.longCount(objects, at: offset + 1) else { return nil }
      count = long.count
      content = long.content
    } else {
      count = small
      content = offset + 1
    }
  }

  /// The count of a larger object, which is encoded as an integer object.
  private static func longCount(
    _ objects: ByteView, at offset: Int
  ) -> (count: Int, content: Int)? {
    guard let marker = objects.byte(at: offset), marker >> 4 == 0x1 else { return nil }
    let width = 1 << Int(marker & 0xF)
    guard
      let count = objects.bigEndian(at: offset + 1, width: width),
      count <= UInt64(objects.count)
    else { return nil }
    return (Int(count), offset + 1 + width)
  }
}
