import StrataPropertyList

/// Prints the entries that contain a word.
extension Verb {
  static let find = Verb(
    "find", isClassic: true,
    forms: [Form(Operand(.other, "<word>"), summary: "lists all entries containing word")],
    options: [.json],
    notes: ["Searches domain names, keys and strings, ignoring case."],
    run: Find.run)
}

private enum Find {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let word = call.words[0].lowercased()
    let listing = try call.session.domains()
    let found = listing.domains.compactMap { domain, values in
      let isNamed = domain.listedName.lowercased().contains(word)
      let matches = values.filter { isNamed || has(word, .dictionary([$0.key: $0.value])) }
      return matches.isEmpty ? nil : (domain: domain, values: matches)
    }
    if call.has(.json) {
      try call.session.print(found, as: .json)
    } else {
      for (domain, values) in found {
        let text = ShownName.escaped(DescriptionText.text(of: .dictionary(values)))
        let name = ShownName.text(of: domain.listedName)
        try call.session.print("Found \(values.count) keys in domain '\(name)': \(text)")
      }
    }
    let code = call.session.report(listing)
    if found.isEmpty {
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
