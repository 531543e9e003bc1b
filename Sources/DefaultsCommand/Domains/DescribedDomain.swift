package import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// What a domain's Settings bundle says of its settings, in the user's languages.
package struct DescribedDomain {
  /// The path of the bundle.
  package let path: String
  package let bundle: SettingsBundle
  let translator: Translator
  /// The domain that has the values: that of the bundle's group, if it names one.
  let domain: NamedDomain

  func text(_ text: String, of setting: Setting) -> String {
    translator.text(text, in: setting.pane.table)
  }

  func title(of setting: Setting) -> String {
    setting.specifier.title.map { text($0, of: setting) } ?? setting.key
  }

  /// Titles of the pane and the group that the setting is in.
  func place(of setting: Setting) -> String {
    let pane = setting.pane.title.map { text($0, of: setting) } ?? setting.pane.name
    let group = setting.group.map { text($0, of: setting) }
    return [pane, group].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " › ")
  }

  /// The setting with this key.
  func setting(_ key: String) throws(Failure) -> Setting {
    if let setting = bundle.setting(forKey: key) { return setting }
    let known = bundle.settings.map { ShownName.text(of: $0.key) }.joined(separator: ", ")
    throw Failure(
      "\(ShownName.text(of: path)) describes no setting \(ShownName.text(of: key)); it has: "
        + (known.isEmpty ? "none" : known))
  }
}

extension Session {
  /// What describes a domain; nil if nothing does. A damaged bundle is reported, and left out.
  package func description(of domain: NamedDomain) throws(Failure) -> DescribedDomain? {
    var reports: [String] = []
    let found = BundleSearch(process.surroundings).find(domain.identifier) { path, problem in
      reports.append("warning: \(path) is not used: \(problem)")
    }
    for text in reports { note(text) }
    guard let found else { return nil }
    let group = try found.bundle.group.map { (name) throws(Failure) in
      try self.domain(stored: name)
    }
    return DescribedDomain(
      path: found.path, bundle: found.bundle,
      translator: found.bundle.texts.translator(into: languages), domain: group ?? domain)
  }

  /// The same for verbs that can do nothing without.
  func neededDescription(of domain: NamedDomain) throws(Failure) -> DescribedDomain {
    if let described = try description(of: domain) { return described }
    let places = BundleSearch(process.surroundings).places(of: domain.identifier)
    throw Failure(
      "No Settings bundle describes domain \(domain.shown)"
        + (places.first.map { "; a program installs one as \($0)" } ?? ""))
  }

  /// The languages in which the user wants to read.
  private var languages: [String] {
    process.stack(of: .global).value(forKey: "AppleLanguages")?.stringArrayValue
      ?? PreferredLanguages.languages(process.surroundings.environment)
  }
}
