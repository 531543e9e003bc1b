package import SettingsBundles
package import StrataPropertyList

/// Writes a bundle's description as its files.
extension SettingsBundle {
  /// A file of the bundle, and its path there.
  package struct File: Equatable, Sendable {
    package let path: String
    package let bytes: [UInt8]
  }

  /// What to write: child panes and texts first, so that no root pane leads to what is missing.
  package func files() throws(PropertyListError) -> [File] {
    var files: [File] = []
    for (language, tables) in texts.languages.sorted(by: { $0.key < $1.key }) {
      for (table, texts) in tables.sorted(by: { $0.key < $1.key }) {
        let content = PropertyListValue.dictionary(texts.mapValues { .string($0) })
        let path = "\(language).lproj/\(table).strings"
        files.append(File(path: path, bytes: try PropertyList.encode(content, as: .xml)))
      }
    }
    for pane in panes.reversed() {
      let content = PropertyListValue.dictionary(content(of: pane))
      let bytes = try PropertyList.encode(content, as: .xml)
      files.append(File(path: pane.name + ".plist", bytes: bytes))
    }
    return files
  }

  private func content(of pane: Pane) -> [String: PropertyListValue] {
    var entries: [String: PropertyListValue] = [
      PaneEntry.specifiers: .array(pane.specifiers.map { .dictionary($0.entries) })
    ]
    entries[PaneEntry.title] = pane.title.map { .string($0) }
    if pane.table != pane.name { entries[PaneEntry.table] = .string(pane.table) }
    if pane.name == Self.rootName { entries[PaneEntry.group] = group.map { .string($0) } }
    return entries
  }
}

extension Specifier {
  /// The item as a pane's file has it.
  var entries: [String: PropertyListValue] {
    var entries = kindEntries
    entries["Title"] = title.map { .string($0) }
    entries["Key"] = key.map { .string($0) }
    entries["DefaultValue"] = defaultValue
    entries["StrataDescription"] = summary.map { .string($0) }
    return entries
  }

  private var kindEntries: [String: PropertyListValue] {
    switch kind {
    case .group(let footer):
      Self.entries(SpecifierType.group, ["FooterText": footer.map { .string($0) }])
    case .title(let choices):
      Self.entries(SpecifierType.title, choices.isEmpty ? [:] : Self.entries(of: choices))
    case .text(let field): Self.entries(SpecifierType.text, field.entries)
    case .toggle(let on, let off):
      Self.entries(
        SpecifierType.toggle,
        [
          "TrueValue": on == .boolean(true) ? nil : on,
          "FalseValue": off == .boolean(false) ? nil : off,
        ])
    case .slider(let slider):
      Self.entries(
        SpecifierType.slider,
        [
          "MinimumValue": .real(slider.least), "MaximumValue": .real(slider.greatest),
          "MinimumValueImage": slider.leastImage.map { .string($0) },
          "MaximumValueImage": slider.greatestImage.map { .string($0) },
        ])
    case .menu(let choices):
      Self.entries(SpecifierType.menu, Self.entries(of: choices))
    case .radio(let choices, let footer):
      Self.entries(
        SpecifierType.radio,
        Self.entries(of: choices).merging(["FooterText": footer.map { .string($0) }]) { $1 })
    case .pane(let file): Self.entries(SpecifierType.pane, ["File": .string(file)])
    case .unknown(let type): Self.entries(type, [:])
    }
  }

  private static func entries(
    _ type: String, _ others: [String: PropertyListValue?]
  ) -> [String: PropertyListValue] {
    others.compactMapValues(\.self).merging(["Type": .string(type)]) { $1 }
  }

  private static func entries(of choices: Choices) -> [String: PropertyListValue?] {
    entries(of: choices.all).merging(
      ["DisplaySortedByTitle": choices.isSorted ? .boolean(true) : nil]) { $1 }
  }

  private static func entries(of choices: [Choice]) -> [String: PropertyListValue?] {
    let hasShort = choices.contains { $0.shortTitle != nil }
    return [
      "Values": .array(choices.map(\.value)),
      "Titles": .array(choices.map { .string($0.title) }),
      "ShortTitles": hasShort
        ? .array(choices.map { .string($0.shortTitle ?? $0.title) }) : nil,
    ]
  }
}

extension TextField {
  var entries: [String: PropertyListValue?] {
    let standard = TextField()
    return [
      "IsSecure": isSecure ? .boolean(true) : nil,
      "KeyboardType": keyboard == standard.keyboard ? nil : .string(keyboard.rawValue),
      "AutocapitalizationType": capitalization == standard.capitalization
        ? nil : .string(capitalization.rawValue),
      "AutocorrectionType": correction == standard.correction ? nil : .string(correction.rawValue),
      "MinimumValue": least.map { .real($0) },
      "MaximumValue": greatest.map { .real($0) },
    ]
  }
}
