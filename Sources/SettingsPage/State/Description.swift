import SettingsBundles
import SettingsModel
import StrataPropertyList

/// The panes of a bundle as the page shows them, in one language.
struct Description {
  private let bundle: SettingsBundle
  private let translator: Translator

  init(_ bundle: SettingsBundle, _ translator: Translator) {
    self.bundle = bundle
    self.translator = translator
  }

  var panes: JSON {
    .list(
      bundle.panes.map { pane in
        .object([
          "id": .text(pane.name), "title": .text(title(of: pane)),
          "parent": JSON(parent(of: pane)), "groups": .list(groups(of: pane)),
        ])
      })
  }

  /// The root pane's title; nil if it has none.
  var title: String? { bundle.root.flatMap { pane in pane.title.map { text($0, pane) } } }

  private func text(_ text: String, _ pane: Pane) -> String {
    translator.text(text, in: pane.table)
  }

  private func link(to pane: Pane) -> (from: Pane, item: Specifier)? {
    for other in bundle.panes {
      let item = other.specifiers.first { $0.kind == .pane(pane.name) }
      if let item { return (other, item) }
    }
    return nil
  }

  private func parent(of pane: Pane) -> String? { link(to: pane)?.from.name }

  /// A pane without a title has that of the item that leads to it.
  private func title(of pane: Pane) -> String {
    if let title = pane.title { return text(title, pane) }
    if let link = link(to: pane), let title = link.item.title { return text(title, link.from) }
    return pane.name
  }

  // -- Groups

  private func groups(of pane: Pane) -> [JSON] {
    var groups: [(title: String?, footer: String?, rows: [JSON])] = []
    for specifier in pane.specifiers {
      if case .group(let footer) = specifier.kind {
        groups.append((specifier.title, footer, []))
        continue
      }
      guard let row = row(specifier, pane) else { continue }
      if groups.isEmpty { groups.append((nil, nil, [])) }
      groups[groups.count - 1].rows.append(row)
    }
    return groups.map { group in
      .object([
        "title": JSON(group.title.map { text($0, pane) }),
        "footer": JSON(group.footer.map { text($0, pane) }), "rows": .list(group.rows),
      ])
    }
  }

  /// Nil for what is not shown.
  private func row(_ specifier: Specifier, _ pane: Pane) -> JSON? {
    guard var entries = entries(of: specifier, pane) else { return nil }
    let title = specifier.title.map { text($0, pane) } ?? specifier.key ?? ""
    entries["title"] = .text(title)
    entries["key"] = JSON(specifier.key)
    entries["summary"] = JSON(specifier.summary.map { text($0, pane) })
    return .object(entries)
  }

  private func entries(of specifier: Specifier, _ pane: Pane) -> [String: JSON]? {
    switch specifier.kind {
    case .group, .unknown: nil
    case .pane(let name):
      bundle.pane(named: name) == nil ? nil : ["kind": .text("pane"), "pane": .text(name)]
    case .title(let choices):
      ["kind": .text("title"), "choices": list(choices, pane)]
    case .toggle(let on, let off):
      ["kind": .text("toggle"), "on": JSON(on), "off": JSON(off)]
    case .slider(let slider):
      [
        "kind": .text("slider"), "min": .number(slider.least), "max": .number(slider.greatest),
        "isWhole": .flag(isWhole(specifier, pane)),
      ]
    case .text(let field): entries(of: field, specifier, pane)
    case .menu(let choices): choice("menu", choices, nil, pane)
    case .radio(let choices, let footer): choice("radio", choices, footer, pane)
    }
  }

  private func entries(
    of field: TextField, _ specifier: Specifier, _ pane: Pane
  ) -> [String: JSON] {
    let number: JSON =
      switch form(specifier, pane) {
      case .number(true, _, _): .text("integer")
      case .number: .text("real")
      default: .text("string")
      }
    return [
      "kind": .text("text"), "isSecure": .flag(field.isSecure),
      "keyboard": .text(field.keyboard.name), "capitalization": .text(field.capitalization.name),
      "isCorrected": .flag(field.correction == .yes), "type": number,
    ]
  }

  private func choice(
    _ style: String, _ choices: Choices, _ footer: String?, _ pane: Pane
  ) -> [String: JSON] {
    var all = choices.all
    if choices.isSorted {
      all.sort { text($0.title, pane).lowercased() < text($1.title, pane).lowercased() }
    }
    return [
      "kind": .text("choice"), "style": .text(style), "choices": list(all, pane),
      "footer": JSON(footer.map { text($0, pane) }),
    ]
  }

  private func list(_ choices: [Choice], _ pane: Pane) -> JSON {
    .list(
      choices.map {
        .object(["title": .text(text($0.title, pane)), "value": JSON($0.value)])
      })
  }

  private func form(_ specifier: Specifier, _ pane: Pane) -> Setting.Form {
    Setting(key: specifier.key ?? "", specifier: specifier, pane: pane).form
  }

  private func isWhole(_ specifier: Specifier, _ pane: Pane) -> Bool {
    if case .number(let isWhole, _, _) = form(specifier, pane) { isWhole } else { false }
  }
}

extension TextField.Keyboard {
  var name: String {
    switch self {
    case .alphabet: "text"
    case .numbers, .numbersAndPunctuation: "number"
    case .address: "url"
    case .email: "email"
    }
  }
}

extension TextField.Capitalization {
  var name: String {
    switch self {
    case .none: "none"
    case .sentences: "sentences"
    case .words: "words"
    case .all: "characters"
    }
  }
}
