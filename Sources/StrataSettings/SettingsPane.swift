public import Foundation
package import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList

public import struct StrataDefaults.DefaultsError
public import class StrataDefaults.UserDefaults

/// A program's settings, declared once: from it they get their default values, a page on which
/// people change them, and a Settings bundle for the `defaults` command.
///
/// ```swift
/// let pane = SettingsPane("Editor") {
///   SettingsGroup("Font", footer: "How text looks in all windows.") {
///     Slider(.fontSize)
///     Toggle(.ligatures)
///   }
///   SettingsPane("Advanced") { Picker(.theme) }
/// }
/// pane.register(in: .standard)
/// try pane.write(to: URL(filePath: "/usr/share/defaults/com.example.editor.bundle"))
/// ```
///
/// Titles and descriptions are those of the keys. A pane in another one is a pane of its own, to
/// which a row leads.
public struct SettingsPane: SettingsItem {
  let title: String
  let suiteName: String?
  let items: [any SettingsItem]

  /// A pane with this title and these items; `suiteName` is the suite that has the values, if that
  /// is not the program's own domain.
  public init(
    _ title: String, suiteName: String? = nil,
    @SettingsBuilder _ items: () -> [any SettingsItem]
  ) {
    self.title = title
    self.suiteName = suiteName
    self.items = items()
  }

  /// Registers the default value of each setting, as `register(defaults:)` does.
  public func register(in defaults: UserDefaults = .standard) {
    defaults.register(bundle.defaultValues)
  }

  /// Writes the settings as a Settings bundle, for the page and the `defaults` command to find.
  ///
  /// They look for `defaults/ID.bundle` in `/usr/share`, `/usr/local/share` and
  /// `~/.local/share`. Translations that are in the bundle stay there: what is written is the
  /// panes' files.
  /// - Throws: an error that names the file.
  public func write(to url: URL) throws {
    for file in try bundle.files() {
      let target = url.appending(path: file.path)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.bytes).write(to: target, options: .atomic)
    }
  }

  /// Writes the bundle where the page and the `defaults` command look for this user's.
  ///
  /// For a program that is not installed by a package: it is named after the program's identifier,
  /// in `$XDG_DATA_HOME` or `~/.local/share`, of the same home as the settings.
  /// - Returns: where the bundle is.
  @discardableResult
  public func install() throws -> URL {
    let surroundings = ProcessSurroundings.current
    let identifier = try DomainIdentifier(
      UserDefaults.applicationIdentifier, isSetUID: surroundings.isSetUID)
    guard let path = BundleSearch.ownPlace(of: identifier, surroundings) else {
      throw DefaultsError(
        path: identifier.name, reason: "there is no place for its Settings bundle; set HOME")
    }
    let url = URL(filePath: path, directoryHint: .isDirectory)
    try write(to: url)
    return url
  }

  /// The settings as a Settings bundle describes them.
  package var bundle: SettingsBundle {
    var panes: [Pane] = []
    add(to: &panes, as: SettingsBundle.rootName)
    return SettingsBundle(panes: panes, group: suiteName)
  }

  private func add(to panes: inout [Pane], as name: String) {
    let place = panes.count
    panes.append(Pane(name, title: title, []))
    for item in items.flatMap(\.parts) {
      switch item.content {
      case .specifier(var specifier):
        specifier.item = panes[place].specifiers.count
        panes[place].specifiers.append(specifier)
      case .pane(let child):
        let file = Self.freeName(child.title, in: panes)
        let link = Specifier(
          .pane(file), title: child.title, item: panes[place].specifiers.count)
        panes[place].specifiers.append(link)
        child.add(to: &panes, as: file)
      }
    }
  }

  /// The name of a pane's file: its title as far as a file name can have it.
  private static func freeName(_ title: String, in panes: [Pane]) -> String {
    let plain = String(title.unicodeScalars.filter { $0.isASCII && $0.properties.isAlphabetic })
    let base = plain.isEmpty ? "Pane" : String(plain.prefix(60))
    let used = Set(panes.map { $0.name.lowercased() })
    if !used.contains(base.lowercased()) { return base }
    for number in 2... where !used.contains("\(base)\(number)".lowercased()) {
      return "\(base)\(number)"
    }
    return base
  }

  /// What the pane's file has of it.
  public var parts: [SettingsPart] { [.pane(self)] }
}

/// Settings that belong together, below a title.
public struct SettingsGroup: SettingsItem {
  private let title: String?
  private let footer: String?
  private let items: [any SettingsItem]

  /// A group with these items, and a sentence below it.
  public init(
    _ title: String? = nil, footer: String? = nil,
    @SettingsBuilder _ items: () -> [any SettingsItem]
  ) {
    self.title = title
    self.footer = footer
    self.items = items()
  }

  /// What the pane's file has of it.
  public var parts: [SettingsPart] {
    [.specifier(Specifier(.group(footer: footer), title: title))] + items.flatMap(\.parts)
  }
}
