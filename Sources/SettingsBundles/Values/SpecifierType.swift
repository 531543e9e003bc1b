package import StrataPropertyList

/// The names of the types in a pane's file.
package enum SpecifierType {
  package static let group = "PSGroupSpecifier"
  package static let title = "PSTitleValueSpecifier"
  package static let text = "PSTextFieldSpecifier"
  package static let toggle = "PSToggleSwitchSpecifier"
  package static let slider = "PSSliderSpecifier"
  package static let menu = "PSMultiValueSpecifier"
  package static let radio = "PSRadioGroupSpecifier"
  package static let pane = "PSChildPaneSpecifier"
}

/// The names of entries of a pane's file.
package enum PaneEntry {
  package static let specifiers = "PreferenceSpecifiers"
  package static let table = "StringsTable"
  package static let title = "Title"
  package static let group = "ApplicationGroupContainerIdentifier"
}

/// Which texts can be the name of a file in a bundle.
package enum FileNames {
  /// Whether a text can be the identifier of a program or a suite.
  package static func isIdentifier(_ name: String) -> Bool {
    isPlain(name) && !"-.~".utf8.contains { name.utf8.first == $0 }
      && !["NSGlobalDomain", "Apple Global Domain", "Global Domain"].contains(name)
      && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  package static func isPlain(_ name: String) -> Bool {
    ![".", "..", ""].contains(name) && name.utf8.count <= 200
      && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }
}

extension PropertyListValue {
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value of a number of any type; nil for everything else, also for a Boolean.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .real(let value): value
    case .single(let value): Double(value)
    case .boolean, .string, .date, .data, .uid, .array, .dictionary: nil
    }
  }

  /// Whether it is a whole number, as it is stored.
  package var isWhole: Bool {
    switch self {
    case .integer, .unsigned: true
    default: false
    }
  }
}
