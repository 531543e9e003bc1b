package import StrataPropertyList

/// Formats a value as JSON on one line.
package enum JSONLine {
  package static func text(of value: PropertyListValue) throws(Failure) -> String {
    do throws(PropertyListError) {
      let text = String(decoding: try PropertyList.encode(value, as: .json), as: UTF8.self)
      // Newlines in strings are escaped, so all others are layout.
      return text.utf8.split(separator: UInt8(ascii: "\n"))
        .map { String(decoding: $0.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) }.joined()
    } catch {
      throw Failure("cannot write JSON: \(error)")
    }
  }
}
