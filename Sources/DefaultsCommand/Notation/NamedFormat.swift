import StrataPropertyList

/// The notations that `--format` names.
enum NamedFormat: String, CaseIterable, Sendable {
  case xml, binary, json, openstep

  /// What people call it.
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
