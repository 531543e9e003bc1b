/// Reads and writes property lists in each of their formats.
///
/// ```swift
/// let (value, format) = try PropertyList.decode(bytes)
/// let xml = try PropertyList.encode(value, as: .xml)
/// ```
public enum PropertyList {
  /// Decodes a property list, and detects its format.
  public static func decode(
    _ bytes: [UInt8]
  ) throws(PropertyListError) -> (value: PropertyListValue, format: PropertyListFormat) {
    guard let format = FormatGuess.format(of: bytes) else {
      throw .at(0, .unknownFormat, "not a property list: it is empty")
    }
    do throws(PropertyListError) {
      return (try decode(bytes, as: format), format)
    } catch {
      // Advice about an encoding does not help with bytes that are not text.
      guard error.kind == .invalidText, format == .openStep, !FormatGuess.isText(bytes) else {
        throw error
      }
      throw .at(
        0, .unknownFormat, "not a property list: neither binary, XML, OpenStep nor JSON")
    }
  }

  /// Decodes a property list in a known format.
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

  /// Encodes a value in a format.
  ///
  /// Information that the format can't preserve is lost, as reported by `losses(of:as:)`. A value
  /// that the format can't represent at all, such as a date that is not finite, is an error.
  public static func encode(
    _ value: PropertyListValue, as format: PropertyListFormat
  ) throws(PropertyListError) -> [UInt8] {
    try encode(value, as: format, around: 0)
  }

  /// The same for what is only shown: a value whose parts are as deep as a property list can be,
  /// and the number of levels around them.
  package static func encode(
    _ value: PropertyListValue, as format: PropertyListFormat, around levels: Int
  ) throws(PropertyListError) -> [UInt8] {
    switch format {
    case .binary: try BinaryCodec.encode(value, around: levels)
    case .xml: try XMLWriter.encode(value, around: levels)
    case .openStep: try OpenStepWriter.encode(value, around: levels)
    case .json: try JSONWriter.encode(value, around: levels)
    }
  }
}
