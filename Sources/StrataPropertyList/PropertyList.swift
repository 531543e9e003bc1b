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
    guard let format = FormatGuess.format(of: bytes) else {
      throw .at(0, .unknownFormat, "the file is empty and no property list; restore it from a copy")
    }
    return (try decode(bytes, as: format), format)
  }

  /// The value that `bytes` hold in a notation that is known.
  public static func decode(
    _ bytes: [UInt8], as format: PropertyListFormat
  ) throws(PropertyListError) -> PropertyListValue {
    switch format {
    case .binary: try BinaryCodec.decode(bytes)
    case .xml: try XMLReader.decode(bytes)
    case .openStep: try OpenStepReader.decode(bytes)
    case .json: try JSONReader.decode(bytes)
    }
  }

  /// The bytes that say `value` in a notation.
  ///
  /// What the notation cannot keep is left out as `losses(of:as:)` tells; what it has no place for
  /// at all, such as a date that is not finite, is an error.
  public static func encode(
    _ value: PropertyListValue, as format: PropertyListFormat
  ) throws(PropertyListError) -> [UInt8] {
    switch format {
    case .binary: try BinaryCodec.encode(value)
    case .xml: try XMLWriter.encode(value)
    case .openStep: try OpenStepWriter.encode(value)
    case .json: try JSONWriter.encode(value)
    }
  }
}
