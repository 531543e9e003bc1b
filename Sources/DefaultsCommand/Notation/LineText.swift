import StrataPropertyList

/// Formats a value on one line for people: as JSON, but dates and data as `read` prints them.
enum LineText {
  static func text(of value: PropertyListValue) throws(Failure) -> String {
    switch value {
    case .date, .data: DescriptionText.text(of: value)
    default: try JSONLine.text(of: value)
    }
  }
}
