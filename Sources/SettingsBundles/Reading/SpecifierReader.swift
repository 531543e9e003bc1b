import StrataDomains
import StrataPropertyList

/// Makes a specifier of an item in a pane's file, and says what is wrong with it.
struct SpecifierReader {
  private let entries: [String: PropertyListValue]
  private let file: String
  private let item: Int
  private(set) var problems: [Problem] = []

  init(_ entries: [String: PropertyListValue], at item: Int, of file: String) {
    self.entries = entries
    self.item = item
    self.file = file
  }

  /// Nil if the item can't be shown; then there is a problem that says why.
  mutating func read() -> Specifier? {
    guard let type = text("Type", .loss) else {
      if entries["Type"] == nil { note("it has no Type", .loss) }
      return nil
    }
    let kind: Specifier.Kind?
    if let form = Self.forms[type] {
      kind = form(&self)
    } else {
      note("unknown type \(type); the item is not shown", .warning)
      kind = .unknown(type)
    }
    let key = text("Key", .loss)
    if kind?.needsKey == true, key?.isEmpty != false {
      if entries["Key"] == nil || key != nil { note("\(type) has no Key", .loss) }
      return nil
    }
    return kind.map {
      Specifier(
        $0, title: text("Title"), key: key, defaultValue: entries["DefaultValue"],
        summary: text("StrataDescription"), item: item)
    }
  }

  private typealias Form = @Sendable (inout SpecifierReader) -> Specifier.Kind?

  private static let forms: [String: Form] = [
    SpecifierType.group: { .group(footer: $0.text("FooterText")) },
    SpecifierType.title: { .title($0.choices(areNeeded: false)) },
    SpecifierType.text: { .text($0.textField()) },
    SpecifierType.toggle: {
      .toggle(
        on: $0.entries["TrueValue"] ?? .boolean(true),
        off: $0.entries["FalseValue"] ?? .boolean(false))
    },
    SpecifierType.slider: { $0.slider().map { .slider($0) } },
    SpecifierType.menu: { .menu($0.sortableChoices()) },
    SpecifierType.radio: { .radio($0.sortableChoices(), footer: $0.text("FooterText")) },
    SpecifierType.pane: { $0.pane().map { .pane($0) } },
  ]

  // -- Parts

  private mutating func textField() -> TextField {
    var field = TextField()
    field.isSecure = flag("IsSecure")
    field.keyboard = word("KeyboardType") ?? field.keyboard
    field.capitalization = word("AutocapitalizationType") ?? field.capitalization
    field.correction = word("AutocorrectionType") ?? field.correction
    field.range = range()
    return field
  }

  /// An entry of our own: a text field of Apple's has no range.
  private mutating func range() -> ClosedRange<Double>? {
    guard let least = number("MinimumValue", -.infinity),
      let greatest = number("MaximumValue", .infinity)
    else { return nil }
    for (name, value) in [("MinimumValue", least), ("MaximumValue", greatest)] where value.isNaN {
      note("\(name) is not a number")
      return nil
    }
    guard least <= greatest else {
      note("MinimumValue \(least) is greater than MaximumValue \(greatest)")
      return nil
    }
    return least.isFinite || greatest.isFinite ? least...greatest : nil
  }

  private mutating func slider() -> Slider? {
    let (least, greatest) = (number("MinimumValue", 0), number("MaximumValue", 1))
    guard let least, let greatest else { return nil }
    guard least.isFinite, greatest.isFinite, least < greatest else {
      note("MinimumValue \(least) is not less than MaximumValue \(greatest)", .loss)
      return nil
    }
    return Slider(
      least, greatest, leastImage: text("MinimumValueImage"),
      greatestImage: text("MaximumValueImage"))
  }

  private mutating func pane() -> String? {
    guard let name = text("File", .loss) else {
      if entries["File"] == nil {
        note("it has no File, the name of the pane that it leads to", .loss)
      }
      return nil
    }
    if FileNames.isPlain(name) { return name }
    note("File \(name.debugDescription) is not the name of a pane in this bundle", .loss)
    return nil
  }

  private mutating func sortableChoices() -> Choices {
    Choices(choices(areNeeded: true), isSorted: flag("DisplaySortedByTitle"))
  }

  private static let choicesMax = 1_000

  private mutating func choices(areNeeded: Bool) -> [Choice] {
    let (values, titles) = (array("Values"), texts("Titles"))
    guard let values, let titles else {
      if areNeeded, values == nil || titles == nil { note("it needs arrays Values and Titles") }
      return []
    }
    let shortTitles = texts("ShortTitles")
    if values.count != titles.count {
      note("it has \(values.count) Values, but \(titles.count) Titles")
    }
    if let shortTitles, shortTitles.count != values.count {
      note("it has \(values.count) Values, but \(shortTitles.count) ShortTitles")
    }
    if values.count > Self.choicesMax {
      note("it has \(values.count) Values; those after \(Self.choicesMax) are left out", .loss)
    }
    return zip(values, titles).prefix(Self.choicesMax).enumerated().map { position, pair in
      let short = shortTitles.flatMap { $0.indices.contains(position) ? $0[position] : nil }
      return Choice(pair.0, pair.1, shortTitle: short)
    }
  }

  // -- Entries

  private mutating func text(
    _ name: String, _ severity: Problem.Severity = .error
  ) -> String? {
    switch entries[name] {
    case nil: return nil
    case .string(let text): return text
    default:
      note("\(name) is not a string", severity)
      return nil
    }
  }

  private mutating func number(_ name: String, _ standard: Double) -> Double? {
    guard let value = entries[name] else { return standard }
    if let number = value.number { return number }
    note("\(name) is not a number", .loss)
    return nil
  }

  private mutating func flag(_ name: String) -> Bool {
    switch entries[name] {
    case nil: return false
    case .array, .dictionary, .data, .date, .uid:
      note("\(name) is not a Boolean")
      return false
    case let value?: return value.boolValue
    }
  }

  private mutating func word<Word: RawRepresentable<String>>(_ name: String) -> Word? {
    guard let text = text(name) else { return nil }
    if let word = Word(rawValue: text) { return word }
    note("unknown \(name) \(text.debugDescription)", .warning)
    return nil
  }

  private mutating func array(_ name: String) -> [PropertyListValue]? {
    switch entries[name] {
    case nil: return nil
    case .array(let elements): return elements
    default:
      note("\(name) is not an array")
      return nil
    }
  }

  private mutating func texts(_ name: String) -> [String]? {
    guard let elements = array(name) else { return nil }
    let texts = elements.compactMap(\.text)
    if texts.count == elements.count { return texts }
    note("\(name) has elements that are not strings")
    return nil
  }

  private mutating func note(_ text: String, _ severity: Problem.Severity = .error) {
    let problem = Problem(file, item: item, text, severity)
    if !problems.contains(problem) { problems.append(problem) }
  }
}

extension Specifier.Kind {
  /// Whether an item of this kind is of no use without a key.
  var needsKey: Bool {
    switch self {
    case .group, .pane, .unknown: false
    case .title, .text, .toggle, .slider, .menu, .radio: true
    }
  }
}
