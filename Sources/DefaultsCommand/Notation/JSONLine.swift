package import StrataPropertyList

/// Formats a value as JSON on one line.
package enum JSONLine {
  package static func text(of value: PropertyListValue) throws(Failure) -> String {
    do throws(PropertyListError) {
      let bytes = try PropertyList.encode(
        ShownValue.value(value), as: .json, around: ShownValue.levelsMax)
      // Newlines in strings are escaped, so all others are layout.
      return bytes.split(separator: UInt8(ascii: "\n"))
        .map { String(decoding: $0.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self) }.joined()
    } catch {
      throw Failure("cannot write JSON: \(error)")
    }
  }
}
