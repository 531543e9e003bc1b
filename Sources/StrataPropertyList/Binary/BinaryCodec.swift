/// Reads and writes whole binary property lists.
package enum BinaryCodec {
  package static func decode(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListValue {
    try bytes.withUnsafeBufferPointer { buffer throws(PropertyListError) in
      guard buffer.starts(with: BinaryTrailer.header) else {
        throw .at(0, .unknownFormat, "the file does not begin with bplist00; check that it is one")
      }
      let view = ByteView(UnsafeRawBufferPointer(buffer))
      guard let trailer = BinaryTrailer(view) else {
        throw .at(
          max(0, view.count - BinaryTrailer.size), .truncated,
          "the trailer does not describe the file, which may be cut short; restore it from a copy")
      }
      var reader = BinaryReader(view, trailer)
      return try reader.value(ofObject: trailer.topObject)
    }
  }

  package static func encode(_ value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    var writer = BinaryWriter(objectCount: try value.objectCount())
    writer.append(value)
    writer.finish(topObject: 0)
    return writer.bytes
  }
}
