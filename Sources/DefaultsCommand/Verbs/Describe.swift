import SettingsBundles
import SettingsModel
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Prints what a domain's Settings bundle says of its settings.
extension Verb {
  static let describe = Verb(
    "describe",
    forms: [
      Form(.domain, summary: "describes the settings of domain, as its Settings bundle does"),
      Form(.domain, .describedKey, summary: "describes one setting of domain"),
    ],
    options: [.json],
    notes: [
      "Settings bundles are looked for as defaults/<domain>.bundle in the directories for data: "
        + "$XDG_DATA_HOME, or ~/.local/share, and then $XDG_DATA_DIRS, or /usr/local/share and "
        + "/usr/share."
    ],
    run: Describe.run)
}

extension Operand {
  /// A key that the domain's Settings bundle describes.
  static let describedKey = Operand(.describedKey, "<key>")
}

private enum Describe {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let session = call.session
    let described = try session.neededDescription(of: try call.domain())
    let settings =
      try call.words.isEmpty
      ? described.bundle.settings : [described.setting(call.words[0])]
    let sources = session.process.stack(of: described.domain.identifier).sources()
    let code = Origins.report(sources, session)
    // A domain that can't be read may have another value than the default.
    let isKnown = code == .success
    if call.has(.json) {
      let entries = settings.map {
        PropertyListValue.dictionary(json($0, described, sources, isKnown))
      }
      try session.print(.array(entries), as: .json)
    } else {
      for (place, setting) in settings.enumerated() {
        if place > 0 { try session.print("") }
        try show(setting, described, sources, isKnown, session)
      }
    }
    return code
  }

  private static func winner(
    _ key: String, _ sources: [Stack.Source]
  ) -> (value: PropertyListValue, source: Stack.Source)? {
    for source in sources { if let value = source.value(forKey: key) { return (value, source) } }
    return nil
  }

  private static func show(
    _ setting: Setting, _ described: DescribedDomain, _ sources: [Stack.Source], _ isKnown: Bool,
    _ session: Session
  ) throws(Failure) {
    let key = ShownName.text(of: setting.key)
    let title = ShownName.text(of: described.title(of: setting))
    try session.print(session.style.bold(title == key ? key : "\(key): \(title)"))
    func line(_ name: String, _ text: String) throws(Failure) {
      let padding = String(repeating: " ", count: max(0, 9 - name.count))
      try session.print("    \(name)\(padding) \(ShownName.escaped(text, but: ""))")
    }
    try line("in", described.place(of: setting))
    if let summary = setting.specifier.summary {
      try line("about", described.text(summary, of: setting))
    }
    try line("type", typeText(of: setting))
    for choice in setting.specifier.choices {
      let title = described.text(choice.title, of: setting)
      try line("choice", "\(try LineText.text(of: choice.value))  \(title)")
    }
    if let value = setting.specifier.defaultValue {
      try line("default", try shown(value, setting))
    }
    if let (value, source) = winner(setting.key, sources) {
      let forced = source.place.isManaged ? ", forced" : ""
      try line("value", "\(try shown(value, setting))  (\(source.heading)\(forced))")
    } else if isKnown, let value = setting.specifier.defaultValue {
      try line("value", "\(try shown(value, setting))  (the default)")
    }
  }

  private static func shown(
    _ value: PropertyListValue, _ setting: Setting
  ) throws(Failure) -> String {
    setting.isSecret ? "(hidden)" : try LineText.text(of: value)
  }

  private static func typeText(of setting: Setting) -> String {
    let range = setting.rangeText.map { " in \($0)" } ?? ""
    return typeName(of: setting) + range
  }

  private static func typeName(of setting: Setting) -> String {
    switch setting.form {
    case .toggle: "switch"
    case .number(let isWhole, _, _): isWhole ? "whole number" : "number"
    case .text: "text"
    case .choice: "one of the choices"
    case .any: "shown only"
    }
  }

  /// The type for programs.
  private static func typeWord(of setting: Setting) -> String {
    switch setting.form {
    case .toggle: "switch"
    case .number(let isWhole, _, _): isWhole ? "integer" : "number"
    case .text: "text"
    case .choice: "choice"
    case .any: "readonly"
    }
  }

  private static func json(
    _ setting: Setting, _ described: DescribedDomain, _ sources: [Stack.Source], _ isKnown: Bool
  ) -> [String: PropertyListValue] {
    var entry: [String: PropertyListValue] = [
      "key": .string(setting.key), "title": .string(described.title(of: setting)),
      "in": .string(described.place(of: setting)), "type": .string(typeWord(of: setting)),
      "bundle": .string(described.path),
    ]
    entry["description"] = setting.specifier.summary.map {
      .string(described.text($0, of: setting))
    }
    if case .number(_, let least, let greatest) = setting.form {
      entry["minimum"] = least.map { .real($0) }
      entry["maximum"] = greatest.map { .real($0) }
    }
    if !setting.specifier.choices.isEmpty {
      entry["choices"] = .array(
        setting.specifier.choices.map {
          .dictionary([
            "value": $0.value, "title": .string(described.text($0.title, of: setting)),
          ])
        })
    }
    if setting.isSecret { return entry }
    entry["default"] = setting.specifier.defaultValue
    if let (value, source) = winner(setting.key, sources) {
      entry["value"] = value
      entry["origin"] = .dictionary(Origins.json(source))
      entry["isForced"] = .boolean(source.place.isManaged)
    } else if isKnown, let value = setting.specifier.defaultValue {
      entry["value"] = value
      entry["origin"] = .dictionary(DescribedDefault.json(described.path))
      entry["isForced"] = false
    }
    return entry
  }
}
