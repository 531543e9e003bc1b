package import StrataPropertyList

/// What the text of one argument means.
package enum ArgumentValue {
  /// A piece of a property list where the text begins like one and is one; else the text.
  package static func value(of text: String) -> PropertyListValue {
    guard let first = text.utf8.first, "{[(<\"".utf8.contains(first) else { return .string(text) }
    let bytes = Array(text.utf8)
    if let value = fragment(bytes, as: .openStep) { return value }
    // No element of XML consists of hexadecimal digits: what data can't be, an element may.
    if first == UInt8(ascii: "<"), let value = fragment(bytes, as: .xml) { return value }
    return .string(text)
  }

  /// The readers take a value without what a whole document has around it.
  private static func fragment(
    _ bytes: [UInt8], as format: PropertyListFormat
  ) -> PropertyListValue? {
    do {
      return try PropertyList.decode(bytes, as: format)
    } catch {
      // Not an error: a text may begin like a list and be none, such as `(load "test.scm")`.
      return nil
    }
  }
}
