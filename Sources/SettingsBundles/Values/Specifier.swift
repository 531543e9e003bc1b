package import StrataPropertyList

/// One item of a pane: a setting, the beginning of a group, or the way to another pane.
package struct Specifier: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// What follows, until the next group, belongs together.
    case group(footer: String?)
    /// A value that is shown and can't be changed.
    case title([Choice])
    case text(TextField)
    /// The values that are stored for the two positions of a switch.
    case toggle(on: PropertyListValue, off: PropertyListValue)
    case slider(Slider)
    /// One of several values, in a menu.
    case menu(Choices)
    /// The same, all of them visible.
    case radio(Choices, footer: String?)
    /// Leads to the pane with this name.
    case pane(String)
    /// Of this type, which is not known: it is not shown.
    case unknown(String)
  }

  package var kind: Kind
  package var title: String?
  package var key: String?
  package var defaultValue: PropertyListValue?
  /// A sentence about the setting, for people. Apple's bundles have none.
  package var summary: String?
  /// Its number in the pane's file, from 0 on.
  package var item: Int

  package init(
    _ kind: Kind, title: String? = nil, key: String? = nil,
    defaultValue: PropertyListValue? = nil, summary: String? = nil, item: Int = 0
  ) {
    self.kind = kind
    self.title = title
    self.key = key
    self.defaultValue = defaultValue
    self.summary = summary
    self.item = item
  }

  package var isShown: Bool { if case .unknown = kind { false } else { true } }

  package var isGroup: Bool { if case .group = kind { true } else { false } }
}

/// A value, and what it is called.
package struct Choice: Equatable, Sendable {
  package var value: PropertyListValue
  package var title: String
  package var shortTitle: String?

  package init(_ value: PropertyListValue, _ title: String, shortTitle: String? = nil) {
    self.value = value
    self.title = title
    self.shortTitle = shortTitle
  }
}

/// The values among which a person chooses.
package struct Choices: Equatable, Sendable {
  package var all: [Choice]
  /// Whether they are shown in the order of their titles.
  package var isSorted: Bool

  package init(_ all: [Choice], isSorted: Bool = false) {
    self.all = all
    self.isSorted = isSorted
  }
}

/// How a text is typed.
package struct TextField: Equatable, Sendable {
  package enum Keyboard: String, Sendable {
    case alphabet = "Alphabet"
    case numbersAndPunctuation = "NumbersAndPunctuation"
    case numbers = "NumberPad"
    case address = "URL"
    case email = "EmailAddress"
  }

  package enum Capitalization: String, Sendable {
    case none = "None"
    case sentences = "Sentences"
    case words = "Words"
    case all = "AllCharacters"
  }

  package enum Correction: String, Sendable {
    case standard = "Default"
    case no = "No"
    case yes = "Yes"
  }

  package var isSecure = false
  package var keyboard = Keyboard.alphabet
  package var capitalization = Capitalization.none
  package var correction = Correction.standard
  /// Of the numbers that it takes, with an infinite end for none; nil for a text, and for all.
  package var range: ClosedRange<Double>?
  /// The ends of the range, if it has them.
  package var least: Double? { range.flatMap { $0.lowerBound.isFinite ? $0.lowerBound : nil } }
  package var greatest: Double? { range.flatMap { $0.upperBound.isFinite ? $0.upperBound : nil } }

  package init() {}
}

/// A range of numbers.
package struct Slider: Equatable, Sendable {
  package var least: Double
  package var greatest: Double
  package var range: ClosedRange<Double> { least...greatest }
  /// The names of pictures in the bundle for its two ends.
  package var leastImage: String?
  package var greatestImage: String?

  package init(
    _ least: Double, _ greatest: Double, leastImage: String? = nil, greatestImage: String? = nil
  ) {
    self.least = least
    self.greatest = greatest
    self.leastImage = leastImage
    self.greatestImage = greatestImage
  }
}
