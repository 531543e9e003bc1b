package import StrataPropertyList

/// What a Settings bundle describes: the settings of one program, in panes, and their texts in
/// several languages.
package struct SettingsBundle: Equatable, Sendable {
  /// The name of the pane that is shown first, and of its file.
  package static let rootName = "Root"

  /// All panes that can be reached, the root first, each after the one that leads to it.
  package var panes: [Pane]
  /// The identifier of the suite that has the values, if not the program's own domain.
  package var group: String?
  package var texts: Texts

  package init(panes: [Pane], group: String? = nil, texts: Texts = Texts()) {
    self.panes = panes
    self.group = group
    self.texts = texts
  }

  package var root: Pane? { panes.first }

  package func pane(named name: String) -> Pane? { panes.first { $0.name == name } }

  /// The default value of each key that has one. If several specifiers have the same key, the last
  /// one counts.
  package var defaultValues: [String: PropertyListValue] {
    panes.lazy.flatMap(\.specifiers).reduce(into: [:]) { values, specifier in
      if let key = specifier.key, let value = specifier.defaultValue { values[key] = value }
    }
  }
}

/// One page of settings, as one file of the bundle has it.
package struct Pane: Equatable, Sendable {
  /// The name of its file, without `.plist`.
  package var name: String
  package var title: String?
  /// The strings table with the translations of its texts.
  package var table: String
  package var specifiers: [Specifier]

  package init(
    _ name: String, title: String? = nil, table: String? = nil, _ specifiers: [Specifier]
  ) {
    self.name = name
    self.title = title
    self.table = table ?? name
    self.specifiers = specifiers
  }
}
