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
    options: [.path],
    notes: [
      "A value is a string unless a type flag precedes it: "
        + ValueFlag.allCases.map { "-\($0.rawValue)" }.joined(separator: ", ") + ".",
      "A value without a flag that contains one of \"()[]{}<> is parsed as a property list; in any "
        + "other, a backslash begins an escape, such as \\n or \\U2192.",
      "With --path, dictionaries that do not exist are created, and the position after the last "
        + "element of an array adds one. Options precede the key; -- ends them.",
      "When the command returns, the value is on the disk and visible to every program.",
    ],
    run: Write.run)
}

private enum Write {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    guard call.words.count > 1 else {
      try call.session.apply(try replacement(call.words[0]), to: domain)
      return .success
    }
    let path = try call.path()
    let typed = try TypedValue(Array(call.words.dropFirst()))
    if case .value(let value) = typed, path.rest.isEmpty {
      // What was there makes no difference, even if it can't be read.
      try call.session.apply(ChangeSet([Change(key: path.key, value: value)]), to: domain)
      return .success
    }
    try call.session.change(domain) { (values) throws(Failure) in
      let new = try path.changing(values[path.key]) { (old) throws(Failure) in
        try value(typed, addedTo: old, path.text)
      }
      return ChangeSet([Change(key: path.key, value: new)])
    }
    return .success
  }

  private static func value(
    _ typed: TypedValue, addedTo old: PropertyListValue?, _ name: String
  ) throws(Failure) -> PropertyListValue {
    switch typed {
    case .value(let value): return value
    case .addedElements(let elements): return .array(try array(old, name) + elements)
    case .addedEntries(let entries):
      return .dictionary(try dictionary(old, name).merging(entries) { $1 })
    }
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
