/// The languages that a user prefers, as the environment says.
package enum PreferredLanguages {
  /// The languages that `LANGUAGE` lists; otherwise the locale's.
  package static func languages(_ environment: (String) -> String?) -> [String] {
    let listed = (environment("LANGUAGE") ?? "").split(separator: ":").map { tag(of: String($0)) }
    if !listed.isEmpty { return listed }
    return [localeName(environment).map(tag) ?? "en"]
  }

  /// The locale of messages and formats, without its encoding; nil for the C locale.
  package static func localeName(_ environment: (String) -> String?) -> String? {
    for variable in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      guard let value = environment(variable), !value.isEmpty else { continue }
      let name = String(value.prefix { $0 != "." && $0 != "@" })
      return ["C", "POSIX"].contains(name) ? nil : name
    }
    return nil
  }

  private static func tag(of locale: String) -> String {
    String(locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
  }
}
