package import SettingsBundles
import StrataDomains
import StrataPropertyList

/// Finds what is wrong with a bundle that could be read.
package enum BundleCheck {
  /// What a person who wrote the bundle should mend, in the order of panes and items.
  package static func problems(of bundle: SettingsBundle) -> [Problem] {
    var keys: [String: (file: String, item: Int)] = [:]
    return bundle.panes.flatMap { pane in
      let file = pane.name + ".plist"
      return pane.specifiers.flatMap { specifier in
        var texts = faults(of: specifier)
        if let key = specifier.key {
          if let first = keys[key] {
            let place = "item \(first.item) of \(first.file)"
            texts.append((.error, "key \(key.debugDescription) is also that of \(place)"))
          } else {
            keys[key] = (file, specifier.item)
          }
        }
        texts += missingTranslations(specifier.shownTexts, pane.table, bundle.texts)
        return texts.map { Problem(file, item: specifier.item, $0.1, $0.0) }
      }
        + missingTranslations([pane.title].compactMap(\.self), pane.table, bundle.texts)
        .map { Problem(file, $0.1, $0.0) }
    }
  }

  private typealias Fault = (Problem.Severity, String)

  private static func faults(of specifier: Specifier) -> [Fault] {
    var faults: [Fault] = []
    if specifier.title?.isEmpty != false, needsTitle(specifier.kind) {
      faults.append((.warning, "it has no Title"))
    }
    if case .toggle(let on, let off) = specifier.kind { faults += faultsOfToggle(on, off) }
    faults += doubledValues(specifier.choices)
    guard let value = specifier.defaultValue else {
      let needsDefault = specifier.key != nil && !isOptional(specifier.kind)
      return needsDefault ? faults + [(.warning, "it has no DefaultValue")] : faults
    }
    let shown = ValueText.text(of: value)
    switch specifier.kind {
    case .group, .pane, .title, .unknown: break
    case .text(let field):
      if let number = value.number {
        if let range = field.range, !range.contains(number) {
          faults.append((.error, "DefaultValue \(shown) is outside \(range.text)"))
        }
      } else if field.range != nil {
        faults.append((.error, "DefaultValue \(shown) is not a number, which a range is for"))
      } else if value.text == nil {
        faults.append((.error, "DefaultValue \(shown) is not a string"))
      }
    case .toggle(let on, let off):
      if !value.reads(as: on), !value.reads(as: off) {
        faults.append((.error, "DefaultValue \(shown) is neither its TrueValue nor its FalseValue"))
      }
    case .slider(let slider):
      if let number = value.number {
        if !slider.range.contains(number) {
          faults.append((.error, "DefaultValue \(shown) is outside \(slider.range.text)"))
        }
      } else {
        faults.append((.error, "DefaultValue \(shown) is not a number"))
      }
    case .menu(let choices), .radio(let choices, _):
      if !choices.all.contains(where: { $0.value.reads(as: value) }) {
        faults.append((.error, "DefaultValue \(shown) is not one of its Values"))
      }
    }
    return faults
  }

  private static func faultsOfToggle(
    _ on: PropertyListValue, _ off: PropertyListValue
  ) -> [Fault] {
    var faults: [Fault] = []
    if !on.boolValue {
      faults.append((.error, "TrueValue \(ValueText.text(of: on)) reads as false"))
    }
    if off.boolValue {
      faults.append((.error, "FalseValue \(ValueText.text(of: off)) reads as true"))
    }
    return faults
  }

  private static func doubledValues(_ choices: [Choice]) -> [Fault] {
    for (position, choice) in choices.enumerated() {
      if choices[..<position].contains(where: { $0.value == choice.value }) {
        return [(.error, "value \(ValueText.text(of: choice.value)) is there twice")]
      }
    }
    return []
  }

  private static func needsTitle(_ kind: Specifier.Kind) -> Bool {
    switch kind {
    case .group, .slider, .radio, .unknown: false
    case .title, .text, .toggle, .menu, .pane: true
    }
  }

  /// Whether nothing may be set at first.
  private static func isOptional(_ kind: Specifier.Kind) -> Bool {
    switch kind {
    case .text, .title, .group, .pane, .unknown: true
    case .toggle, .slider, .menu, .radio: false
    }
  }

  private static func missingTranslations(
    _ shown: [String], _ table: String, _ texts: Texts
  ) -> [Fault] {
    texts.languages.keys.sorted().filter { !Texts.developmentLanguages.contains($0) }
      .flatMap { language in
        shown.filter { !$0.isEmpty && texts.languages[language]?[table]?[$0] == nil }.map {
          (
            .warning,
            "text \($0.debugDescription) has no translation in \(language).lproj/\(table).strings"
          )
        }
      }
  }
}
