import StrataPropertyList

/// Prints the entries that contain a word.
extension Verb {
  static let find = Verb(
    "find", isClassic: true,
    forms: [Form(Operand(.other, "<word>"), summary: "lists all entries containing word")],
    notes: ["Searches domain names, keys and strings, ignoring case."],
    run: Find.run)
}

private enum Find {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let word = call.words[0].lowercased()
    var isFound = false
    let listing = try call.session.domains()
    for (domain, values) in listing.domains {
      let isNamed = domain.listedName.lowercased().contains(word)
      let found = values.filter { isNamed || has(word, .dictionary([$0.key: $0.value])) }
      if found.isEmpty { continue }
      isFound = true
      let text = ShownName.escaped(DescriptionText.text(of: .dictionary(found)))
      let name = ShownName.text(of: domain.listedName)
      try call.session.print("Found \(found.count) keys in domain '\(name)': \(text)")
    }
    let code = try call.session.report(listing)
    if !isFound {
      throw Failure("No domain, key or string contains '\(call.words[0])'")
    }
    return code
  }

  /// Whether a key or a string anywhere in the value contains the word.
  private static func has(_ word: String, _ value: PropertyListValue) -> Bool {
    switch value {
    case .string(let text): text.lowercased().contains(word)
    case .array(let elements): elements.contains { has(word, $0) }
    case .dictionary(let entries):
      entries.contains { $0.key.lowercased().contains(word) || has(word, $0.value) }
    default: false
    }
  }
}
