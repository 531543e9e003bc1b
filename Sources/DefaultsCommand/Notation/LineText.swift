package import StrataPropertyList

/// Formats a value on one line for people: as JSON, but dates and data as `read` prints them, and
/// without characters that could drive the terminal.
package enum LineText {
  package static func text(of value: PropertyListValue) throws(Failure) -> String {
    switch value {
    case .date, .data: DescriptionText.text(of: value)
    default: ShownName.escapedJSON(try JSONLine.text(of: value))
    }
  }
}
