import StrataPropertyList

/// The notations that `--format` names.
enum NamedFormat: String, CaseIterable, Sendable {
  case xml, binary, json, openstep

  var format: PropertyListFormat {
    switch self {
    case .xml: .xml
    case .binary: .binary
    case .json: .json
    case .openstep: .openStep
    }
  }
}
