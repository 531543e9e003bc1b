import SettingsBundles
import StrataDomains
package import StrataPropertyList

/// What a person types for a value, and which values a setting takes.
extension Setting {
  /// Why a text or a value is not one of the setting's, and what is.
  package struct Refusal: Error, Equatable, Sendable {
    package let text: String
  }

  /// The value that a word stands for: a title or a value of a choice, `on` and `off`, a number, or
  /// the text itself.
  package func value(
    of word: String, _ translator: Translator
  ) throws(Refusal) -> PropertyListValue {
    switch form {
    case .toggle(let on, let off):
      if let flag = Self.flag(of: word) { return flag ? on : off }
      for value in [on, off] where value.stringValue == word { return value }
      throw Refusal(text: "\(word.debugDescription) is not on or off")
    case .number(let isWhole, _, _):
      guard let value = Self.number(word, isWhole: isWhole) else {
        let what = isWhole ? "a whole number" : "a number"
        throw Refusal(text: "\(word.debugDescription) is not \(what)\(rangeHint)")
      }
      try check(value)
      return value
    case .choice(let choices): return try choice(word, among: choices, translator)
    case .text: return .string(word)
    case .any: throw Refusal(text: "this setting is only shown")
    }
  }

  /// - Throws: why the setting does not take the value.
  package func check(_ value: PropertyListValue) throws(Refusal) {
    let shown = ValueText.text(of: value)
    switch form {
    case .toggle(let on, let off):
      if value == on || value == off { return }
      let (first, second) = (ValueText.text(of: on), ValueText.text(of: off))
      throw Refusal(text: "\(shown) is neither \(first) nor \(second)")
    case .number(let isWhole, let least, let greatest):
      guard let number = value.number, !isWhole || value.isWhole else {
        let what = isWhole ? "a whole number" : "a number"
        throw Refusal(text: "\(shown) is not \(what)\(rangeHint)")
      }
      if number < least ?? -.infinity || number > greatest ?? .infinity || number.isNaN {
        throw Refusal(text: "\(shown) is outside \(rangeText ?? "its range")")
      }
    case .choice(let choices):
      if choices.contains(where: { $0.value == value }) { return }
      throw Refusal(text: "\(shown) is none of its choices")
    case .text:
      if value.text == nil { throw Refusal(text: "\(shown) is not a string") }
    case .any: throw Refusal(text: "this setting is only shown")
    }
  }

  /// The range of the numbers that it takes; nil for all of them, and for everything else.
  package var rangeText: String? {
    guard case .number(_, let least, let greatest) = form, least != nil || greatest != nil else {
      return nil
    }
    return ((least ?? -.infinity)...(greatest ?? .infinity)).text
  }

  private var rangeHint: String { rangeText.map { " in \($0)" } ?? "" }

  private func choice(
    _ word: String, among choices: [Choice], _ translator: Translator
  ) throws(Refusal) -> PropertyListValue {
    let titles = choices.map { translator.text($0.title, in: pane.table) }
    // A value as it is stored comes first: a title may look like that of another choice.
    if let exact = choices.first(where: { $0.value.stringValue == word }) { return exact.value }
    let named = choices.indices.filter {
      [titles[$0], choices[$0].title, choices[$0].shortTitle].compactMap(\.self)
        .contains { $0.lowercased() == word.lowercased() }
    }
    if named.count == 1 { return choices[named[0]].value }
    if let flag = Self.flag(of: word),
      let found = choices.first(where: { $0.value == .boolean(flag) })
    {
      return found.value
    }
    let offered = zip(titles, choices).map { title, choice in
      let value = choice.value.stringValue ?? ValueText.text(of: choice.value)
      return title.lowercased() == value.lowercased() ? value : "\(value) (\(title))"
    }
    throw Refusal(
      text: "\(word.debugDescription) is none of its choices: \(offered.joined(separator: ", "))")
  }

  private static func flag(of word: String) -> Bool? {
    switch word.lowercased() {
    case "on": true
    case "off": false
    default: BooleanText.value(of: word)
    }
  }

  private static func number(_ word: String, isWhole: Bool) -> PropertyListValue? {
    if let value = Int64(word) { return isWhole ? .integer(value) : .real(Double(value)) }
    if isWhole { return UInt64(word).map { .unsigned($0) } }
    return NumericText.whole(word, as: Double.self).map { .real($0) }
  }
}
