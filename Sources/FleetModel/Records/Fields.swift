import StrataDomains
import StrataPropertyList

/// Takes the known entries out of a dictionary, and reports those that are unknown or of a wrong
/// type: the rest counts.
struct Fields {
  private let place: String
  /// All that was there.
  let all: [String: PropertyListValue]
  /// What nobody has asked for.
  private(set) var entries: [String: PropertyListValue]
  private(set) var problems: [FleetProblem] = []

  init(_ entries: [String: PropertyListValue], at place: String) {
    all = entries
    self.entries = entries
    self.place = place
  }

  mutating func text(_ name: String) -> String? {
    take(name, "a string") { if case .string(let text) = $0 { text } else { nil } }
  }

  mutating func integer(_ name: String) -> Int64? {
    take(name, "an integer") { if case .integer(let number) = $0 { number } else { nil } }
  }

  mutating func date(_ name: String) -> PropertyListDate? {
    take(name, "a date", Self.date)
  }

  mutating func texts(_ name: String) -> [String]? {
    take(name, "an array of strings", \.stringArrayValue)
  }

  mutating func dictionary(_ name: String) -> [String: PropertyListValue]? {
    take(name, "a dictionary", \.dictionaryValue)
  }

  mutating func textsByKey(_ name: String) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in KeyOrder.sorted(dictionary(name) ?? [:]) {
      if case .string(let text) = value {
        texts[key] = text
      } else {
        report("\(name): the entry \(key) is not a string")
      }
    }
    return texts
  }

  mutating func report(_ text: String) { problems.append(FleetProblem(place, text)) }

  /// All problems, with those of entries that nobody has asked for.
  func finished() -> [FleetProblem] {
    problems
      + KeyOrder.sorted(entries).map { FleetProblem(place, "the entry \($0.key) is not known") }
  }

  /// A date; as a string as well, since JSON has none.
  static func date(_ value: PropertyListValue) -> PropertyListDate? {
    switch value {
    case .date(let date): date
    case .string(let text): DateNotation.date(text)
    default: nil
    }
  }

  private mutating func take<Value>(
    _ name: String, _ kind: String, _ read: (PropertyListValue) -> Value?
  ) -> Value? {
    guard let entry = entries.removeValue(forKey: name) else { return nil }
    guard let value = read(entry) else {
      report("the entry \(name) is not \(kind)")
      return nil
    }
    return value
  }
}
