package import SettingsBundles

/// Choosing the language of a bundle's texts.
extension Texts {
  /// Where the texts are that the developer wrote, if a pane has only names for them.
  package static let developmentLanguages = ["Base", "en"]

  /// The texts in the first of these languages that has them; a text without a translation is shown
  /// as it is in the pane.
  package func translator(into preferred: [String]) -> Translator {
    let wanted = preferred.flatMap(Self.candidates) + Self.developmentLanguages
    let order = wanted.compactMap { name in
      languages.keys.first { Self.canonical($0) == Self.canonical(name) }
    }
    return Translator(tables: order.compactMap { languages[$0] }, language: order.first)
  }

  /// A language, and those that stand for it: `de-Latn-CH`, `de-Latn`, `de`.
  private static func candidates(_ language: String) -> [String] {
    let parts = language.split { $0 == "-" || $0 == "_" }
    return parts.indices.reversed().map { parts[...$0].joined(separator: "-") }
  }

  private static func canonical(_ language: String) -> String {
    String(language.lowercased().map { $0 == "_" ? "-" : $0 })
  }
}

/// Gives each text of a bundle in the languages of one person.
package struct Translator: Equatable, Sendable {
  let tables: [[String: [String: String]]]
  /// The first language that the bundle has; nil if it has none of those that were asked for.
  package let language: String?

  package func text(_ text: String, in table: String) -> String {
    for tables in tables { if let found = tables[table]?[text] { return found } }
    return text
  }
}
