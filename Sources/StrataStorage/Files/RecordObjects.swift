import StrataPropertyList

/// The objects of one record, located by walking over them, since a damaged file's table of
/// offsets cannot be trusted.
///
/// Safety: the record is walked through `ByteView`; the table of offsets is this value's own array,
/// lent to one reader that ends with the call.
struct RecordObjects {
  private let table: [UInt8]
  private let referenceSize: Int
  let count: Int

  /// The objects from `offset` to the end of `record`, unless their lengths do not add up to that.
  init?(_ record: ByteView, from offset: Int, referenceSize: Int) {
    var table: [UInt8] = []
    var count = 0
    var position = offset
    while position < record.count {
      guard
        let header = BinaryObjectHeader(record, at: position),
        let length = header.length(referenceSize: referenceSize),
        length <= record.count - position
      else { return nil }
      withUnsafeBytes(of: UInt64(position).bigEndian) { table.append(contentsOf: $0) }
      count += 1
      position += length
    }
    guard count >= 2 else { return nil }
    self.table = table
    self.count = count
    self.referenceSize = referenceSize
  }

  /// The key and the value, whose objects are the first two.
  func entry(
    firstObject: Int, in record: ByteView
  ) -> (key: String, value: PropertyListValue)? {
    table.withUnsafeBytes { table in
      let offsets = BinaryOffsets(
        table: ByteView(table), width: 8, first: firstObject, count: count)
      var reader = BinaryReader(
        objects: record, offsets: offsets, referenceSize: referenceSize, depth: 1)
      do throws(PropertyListError) {
        let key = try reader.key(ofObject: firstObject)
        return (key, try reader.value(ofObject: firstObject + 1))
      } catch {
        return nil
      }
    }
  }
}
