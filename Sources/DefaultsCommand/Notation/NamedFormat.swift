import StrataPropertyList

/// The formats that `--format` accepts.
package enum NamedFormat: String, CaseIterable, Sendable {
  case xml, binary, json, openstep
  /// OpenStep with GNUstep's notation for numbers and dates, which Apple's parser does not read.
  case gnustep

  /// The name in messages.
  var title: String {
    switch self {
    case .xml: "XML"
    case .binary: "binary"
    case .json: "JSON"
    case .openstep: "OpenStep"
    case .gnustep: "GNUstep's OpenStep"
    }
  }

  var format: PropertyListFormat {
    switch self {
    case .xml: .xml
    case .binary: .binary
    case .json: .json
    case .openstep, .gnustep: .openStep
    }
  }
}
