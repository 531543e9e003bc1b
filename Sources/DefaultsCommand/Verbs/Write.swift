import StrataPropertyList
import StrataStorage

/// Sets one key, or replaces a domain.
extension Verb {
  static let write = Verb(
    "write", isClassic: true,
    forms: [
      Form(
        .domain, Operand(.newKey, "<domain_rep>"), summary: "writes domain (overwrites existing)"),
      Form(
        .domain, Operand(.newKey, "<key>"), Operand(.value, "<value>"),
        summary: "writes key for domain"),
    ],
    notes: [
      "A value is a string unless a type flag precedes it: "
        + ValueFlag.allCases.map { "-\($0.rawValue)" }.joined(separator: ", ") + ".",
      "A value without a flag that contains one of \"()[]{}<> is parsed as a property list.",
      "When the command returns, the value is on the disk and visible to every program.",
    ],
    run: Write.run)
}

private enum Write {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    let key = call.words[0]
    guard call.words.count > 1 else {
      try call.session.apply(try replacement(key), to: domain)
      return .success
    }
    switch try TypedValue(Array(call.words.dropFirst())) {
    case .value(let value):
      try call.session.apply(ChangeSet([Change(key: key, value: value)]), to: domain)
    case .addedElements(let elements):
      try call.session.change(domain) { (values) throws(Failure) in
        set(key, .array(try array(values[key], key) + elements))
      }
    case .addedEntries(let entries):
      try call.session.change(domain) { (values) throws(Failure) in
        set(key, .dictionary(try dictionary(values[key], key).merging(entries) { $1 }))
      }
    }
    return .success
  }

  private static func set(_ key: String, _ value: PropertyListValue) -> ChangeSet {
    ChangeSet([Change(key: key, value: value)])
  }

  private static func replacement(_ text: String) throws(Failure) -> ChangeSet {
    // A text of blanks, to the readers an empty property list, is a string here and rejected.
    guard case .dictionary(let values) = try ValueNotation.value(text) else {
      throw Failure("Rep argument is not a dictionary\nDefaults have not been changed.")
    }
    return ChangeSet(values.map { Change(key: $0.key, value: $0.value) }, replacesAll: true)
  }

  private static func array(
    _ value: PropertyListValue?, _ key: String
  ) throws(Failure) -> [PropertyListValue] {
    switch value {
    case nil: return []
    case .array(let elements): return elements
    default:
      throw Failure("Value for key \(key) is not an array; cannot append. \(unchanged)")
    }
  }

  private static func dictionary(
    _ value: PropertyListValue?, _ key: String
  ) throws(Failure) -> [String: PropertyListValue] {
    switch value {
    case nil: return [:]
    case .dictionary(let entries): return entries
    default:
      throw Failure("Value for key \(key) is not a dictionary; cannot append. \(unchanged)")
    }
  }

  private static let unchanged = "Leaving defaults unchanged."
}
