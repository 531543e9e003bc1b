/// Locates objects by a table of big-endian offsets for consecutive object numbers.
///
/// Safety: the only pointer made here is nil with count 0, for a missing table; all others come
/// from `ByteView`, which checks every access, and are valid as long as the given view.
package struct BinaryOffsets {
  private let table: ByteView
  private let width: Int
  private let first: Int
  package let count: Int

  /// The table of a whole file.
  package init(_ view: ByteView, _ trailer: BinaryTrailer) {
    let length = trailer.objectCount * trailer.offsetSize
    let bytes = view.slice(at: trailer.tableOffset, length: length)
    self.init(
      table: ByteView(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)),
      width: trailer.offsetSize, first: 0, count: trailer.objectCount)
  }

  /// A table for `count` objects, numbered from `first`, with `width` bytes for each.
  package init(table: ByteView, width: Int, first: Int, count: Int) {
    self.table = table
    self.width = width
    self.first = first
    self.count = count
  }

  /// The offset of an object; nil if there is no such object.
  package func offset(ofObject number: Int) -> Int? {
    guard number >= first, number - first < count else { return nil }
    return table.bigEndian(at: (number - first) * width, width: width)
      .flatMap { Int(exactly: $0) }
  }
}
