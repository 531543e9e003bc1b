/// Reads and writes whole binary property lists.
package enum BinaryCodec {
  /// Safety: the view and the reader do not leave the call that lends the bytes; only values, which
  /// own their memory, do. Every byte is read through `ByteView`, which checks bounds.
  package static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
    try bytes.withUnsafeBufferPointer { buffer throws(PropertyListError) in
      let view = ByteView(UnsafeRawBufferPointer(buffer))
      guard BinaryTrailer.isHeader(of: view) else {
        throw .at(0, .unknownFormat, "not a binary property list: it does not begin with bplist00")
      }
      guard let trailer = BinaryTrailer(view) else {
        throw .at(
          max(0, view.count - BinaryTrailer.size), .truncated,
          "the trailer does not match the file, which may be truncated; restore it from a backup")
      }
      var reader = BinaryReader(view, trailer)
      return try reader.value(ofObject: trailer.topObject)
    }
  }

  package static func encode(
    _ value: PropertyListValue, around levels: Int = 0
  ) throws(PropertyListError) -> [UInt8] {
    var writer = BinaryWriter(objectCount: try value.objectCount(depth: -levels))
    writer.append(value)
    writer.finish(topObject: 0)
    return writer.bytes
  }
}
