import StrataPropertyList

/// The formats that `--format` accepts.
enum NamedFormat: String, CaseIterable, Sendable {
  case xml, binary, json, openstep

  /// The name in messages.
  var title: String {
    switch self {
    case .xml: "XML"
    case .binary: "binary"
    case .json: "JSON"
    case .openstep: "OpenStep"
    }
  }

  var format: PropertyListFormat {
    switch self {
    case .xml: .xml
    case .binary: .binary
    case .json: .json
    case .openstep: .openStep
    }
  }
}
