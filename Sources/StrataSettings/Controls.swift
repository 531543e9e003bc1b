import SettingsBundles
import SettingsModel
public import StrataDefaults
import StrataPropertyList

// The controls of a pane. Each takes keys of the types that it can show; what a key declares
// (title, range, choices, default) is what the control has.

/// A switch.
public struct Toggle: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// A switch for a Boolean.
  public init(_ key: UserDefaults.Key<Bool>) {
    parts = [key.part(.toggle(on: .boolean(true), off: .boolean(false)))]
  }
}

/// A number in a range.
public struct Slider: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// A slider for a number.
  /// - Precondition: the key was declared with a finite range.
  public init<Value: StorableValue & Comparable & Numeric>(_ key: UserDefaults.Key<Value>) {
    guard let range = key.numbers, range.lowerBound.isFinite, range.upperBound.isFinite,
      range.lowerBound < range.upperBound
    else {
      preconditionFailure(
        "the key \(key.name.debugDescription) needs a finite range: "
          + "Key(…, default: …, in: 1...10)")
    }
    parts = [key.part(.slider(SettingsBundles.Slider(range.lowerBound, range.upperBound)))]
  }
}

/// A text, or a number that is typed.
public struct TextField: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// A field for text; what is redacted is hidden while it is typed.
  public init(_ key: UserDefaults.Key<String>) { parts = [Self.part(of: key, .alphabet)] }

  /// A field for text that may be missing.
  public init(_ key: UserDefaults.Key<String?>) { parts = [Self.part(of: key, .alphabet)] }

  /// A field for a number in the key's range, if it was declared with one.
  public init<Value: StorableValue & Comparable & Numeric>(_ key: UserDefaults.Key<Value>) {
    parts = [Self.part(of: key, .numbersAndPunctuation, key.numbers)]
  }

  private static func part<Value>(
    of key: UserDefaults.Key<Value>, _ keyboard: SettingsBundles.TextField.Keyboard,
    _ range: ClosedRange<Double>? = nil
  ) -> SettingsPart {
    var field = SettingsBundles.TextField()
    field.isSecure = key.isRedacted
    field.keyboard = keyboard
    field.range = range
    return key.part(.text(field))
  }
}

/// One of several values, in a menu.
public struct Picker: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// A menu of the key's choices.
  ///
  /// `title` gives the name of a choice for people.
  /// - Precondition: the key was declared with choices.
  public init<Value>(
    _ key: UserDefaults.Key<Value>, title: (Value) -> String = { "\($0)".titled }
  ) {
    parts = [key.part(.menu(Choices(key.choices(key.choices ?? [], title))))]
  }

  /// A menu of all values of a type.
  public init<Value: CaseIterable>(
    _ key: UserDefaults.Key<Value>, title: (Value) -> String = { "\($0)".titled }
  ) {
    let values = key.choices ?? Array(Value.allCases)
    parts = [key.part(.menu(Choices(key.choices(values, title))))]
  }
}

/// One of several values, all of them visible.
public struct RadioGroup: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// The key's choices.
  ///
  /// `title` gives the name of a choice for people.
  /// - Precondition: the key was declared with choices.
  public init<Value>(
    _ key: UserDefaults.Key<Value>, footer: String? = nil,
    title: (Value) -> String = { "\($0)".titled }
  ) {
    let choices = Choices(key.choices(key.choices ?? [], title))
    parts = [key.part(.radio(choices, footer: footer))]
  }

  /// All values of a type.
  public init<Value: CaseIterable>(
    _ key: UserDefaults.Key<Value>, footer: String? = nil,
    title: (Value) -> String = { "\($0)".titled }
  ) {
    let choices = Choices(key.choices(key.choices ?? Array(Value.allCases), title))
    parts = [key.part(.radio(choices, footer: footer))]
  }
}

/// A value that is shown and can't be changed.
public struct Readout: SettingsItem {
  /// What the pane's file has of it.
  public let parts: [SettingsPart]

  /// The value of a key.
  public init<Value>(_ key: UserDefaults.Key<Value>) { parts = [key.part(.title([]))] }
}

extension UserDefaults.Key {
  func part(_ kind: Specifier.Kind) -> SettingsPart {
    .specifier(
      Specifier(
        kind, title: title ?? name, key: name, defaultValue: storedDefault, summary: description))
  }

  /// The range that it was declared with, if that is one of numbers and not of all of them.
  var numbers: ClosedRange<Double>? {
    guard let bounds, let least = stored(bounds.least)?.number,
      let greatest = stored(bounds.greatest)?.number, least <= greatest,
      least.isFinite || greatest.isFinite
    else { return nil }
    return least...greatest
  }

  func choices(_ values: [Value], _ title: (Value) -> String) -> [Choice] {
    precondition(
      !values.isEmpty,
      "the key \(name.debugDescription) needs choices: Key(…, default: …, choices: […])")
    return values.compactMap { value in stored(value).map { Choice($0, title(value)) } }
  }

  private func stored(_ value: Value) -> PropertyListValue? {
    do {
      return try value.stored()
    } catch {
      preconditionFailure("a value of the key \(name.debugDescription) can't be stored: \(error)")
    }
  }
}

extension String {
  /// The name of an enum's case as a title: `darkMode` is `Dark Mode`.
  @usableFromInline
  var titled: String {
    var title = ""
    for (place, character) in enumerated() {
      if place == 0 {
        title += character.uppercased()
      } else {
        if character.isUppercase, title.last?.isLowercase == true { title += " " }
        title.append(character)
      }
    }
    return title
  }
}
