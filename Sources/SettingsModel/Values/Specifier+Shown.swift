package import SettingsBundles

/// What a person sees of an item.
extension Specifier {
  /// The values that it offers; empty if any value of its type is allowed.
  package var choices: [Choice] {
    switch kind {
    case .title(let choices): choices
    case .menu(let choices), .radio(let choices, _): choices.all
    case .group, .text, .toggle, .slider, .pane, .unknown: []
    }
  }

  /// All texts that a person reads, which have translations.
  package var shownTexts: [String] {
    let footer: String? =
      switch kind {
      case .group(let footer), .radio(_, let footer): footer
      case .title, .text, .toggle, .slider, .menu, .pane, .unknown: nil
      }
    return [title, summary, footer].compactMap(\.self)
      + choices.flatMap { [$0.title, $0.shortTitle].compactMap(\.self) }
  }
}
