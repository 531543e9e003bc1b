package import SettingsBundles
package import StrataPropertyList

/// A setting that a bundle describes, with where it is shown.
package struct Setting: Equatable, Sendable {
  package let key: String
  package let specifier: Specifier
  package let pane: Pane
  /// The title of the group that it is in; nil without one.
  package let group: String?

  package init(key: String, specifier: Specifier, pane: Pane, group: String? = nil) {
    self.key = key
    self.specifier = specifier
    self.pane = pane
    self.group = group
  }

  /// What a value of the setting is.
  package enum Form: Equatable, Sendable {
    case toggle(on: PropertyListValue, off: PropertyListValue)
    /// A number; whole numbers only if its default and its bounds are.
    case number(isWhole: Bool, least: Double?, greatest: Double?)
    case text
    case choice([Choice])
    /// Anything: the setting is only shown.
    case any
  }

  package var form: Form {
    switch specifier.kind {
    case .toggle(let on, let off): return .toggle(on: on, off: off)
    case .slider(let slider):
      let isWhole = [slider.least, slider.greatest].allSatisfy { $0 == $0.rounded() }
      return .number(
        isWhole: isWhole && specifier.defaultValue?.isWhole == true, least: slider.least,
        greatest: slider.greatest)
    case .menu(let choices), .radio(let choices, _): return .choice(choices.all)
    case .text(let field):
      // Only numbers have a range, whatever the default is.
      let value = specifier.defaultValue.flatMap { $0.number == nil ? nil : $0 }
      if value == nil, field.range == nil { return .text }
      let bounds = [field.least, field.greatest].compactMap(\.self)
      return .number(
        isWhole: value?.isWhole ?? bounds.allSatisfy { $0 == $0.rounded() }, least: field.least,
        greatest: field.greatest)
    case .title, .group, .pane, .unknown: return .any
    }
  }

  package var isReadOnly: Bool { if case .title = specifier.kind { true } else { false } }

  /// Whether its value must not be shown.
  package var isSecret: Bool {
    if case .text(let field) = specifier.kind { field.isSecure } else { false }
  }
}

extension SettingsBundle {
  /// All settings in the order in which they are shown; of several with one key, the first.
  package var settings: [Setting] {
    var keys: Set<String> = []
    return panes.flatMap { pane in
      var group: String?
      return pane.specifiers.compactMap { specifier -> Setting? in
        if specifier.isGroup { group = specifier.title }
        guard let key = specifier.key, specifier.isShown, keys.insert(key).inserted else {
          return nil
        }
        return Setting(key: key, specifier: specifier, pane: pane, group: group)
      }
    }
  }

  package func setting(forKey key: String) -> Setting? { settings.first { $0.key == key } }
}
