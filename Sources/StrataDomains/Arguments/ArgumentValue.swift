package import StrataPropertyList

/// Parses the text of one argument.
package enum ArgumentValue {
  /// The property list value if the text begins like one and is one; otherwise the text itself.
  package static func value(of text: String) -> PropertyListValue {
    guard let first = text.utf8.first, "{[(<\"".utf8.contains(first) else { return .string(text) }
    let bytes = Array(text.utf8)
    if let value = fragment(bytes, as: .openStep) { return value }
    // `<` may also begin XML. No element's name is all hexadecimal digits, so neither is mistaken
    // for the other.
    if first == UInt8(ascii: "<"), let value = fragment(bytes, as: .xml) { return value }
    return .string(text)
  }

  /// The readers also accept a single value without the frame of a whole document.
  private static func fragment(
    _ bytes: [UInt8], as format: PropertyListFormat
  ) -> PropertyListValue? {
    do {
      return try PropertyList.decode(bytes, as: format)
    } catch {
      // Not an error: a text may begin like a list without being one, such as `(load "test.scm")`.
      return nil
    }
  }
}
