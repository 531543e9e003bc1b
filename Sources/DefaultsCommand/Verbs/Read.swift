import StrataPropertyList

/// Prints all domains, one, or one value.
extension Verb {
  static let read = Verb(
    "read", isClassic: true,
    forms: [
      Form(summary: "shows all defaults"),
      Form(.domain, summary: "shows defaults for given domain"),
      Form(.domain, .key, summary: "shows defaults for given domain, key"),
    ],
    options: [.json, .format],
    notes: [
      "One place is read, as it is: the user's, or with -currentHost the user's for this host. "
        + "What counts for a program is told by 'explain' and 'list'."
    ],
    run: Read.run)
}

private enum Read {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    try call.session.print(try value(call), as: call.format())
    return .success
  }

  private static func value(_ call: Call) throws(Failure) -> PropertyListValue {
    guard let domain = call.domains.first else { return .dictionary(try all(call.session)) }
    guard let key = call.words.first else {
      return .dictionary(try call.session.existing(domain))
    }
    return try call.session.value(key, of: domain)
  }

  private static func all(_ session: Session) throws(Failure) -> [String: PropertyListValue] {
    var all: [String: PropertyListValue] = [:]
    for domain in try session.domains() {
      all[domain.listedName] = .dictionary(try session.values(of: domain))
    }
    return all
  }
}

extension NamedDomain {
  /// Its name among those of all domains.
  var listedName: String { self == .global ? "Global Domain" : shown }
}
