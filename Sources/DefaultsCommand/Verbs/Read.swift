import StrataPropertyList

/// Prints all domains, one domain, or one value.
extension Verb {
  static let read = Verb(
    "read", isClassic: true,
    forms: [
      Form(summary: "shows all defaults"),
      Form(.domain, summary: "shows defaults for given domain"),
      Form(.domain, .key, summary: "shows defaults for given domain, key"),
    ],
    options: [.path, .json, .format],
    notes: [
      "Reads exactly one place: the user's values, or with -currentHost the user's values for "
        + "this host. For effective values, use 'explain' and 'list'."
    ],
    run: Read.run)
}

private enum Read {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    guard let domain = call.domains.first else {
      let listing = try call.session.domains()
      try call.session.print(listing.domains, as: call.format())
      return call.session.report(listing)
    }
    try call.session.print(try value(call, domain), as: call.format())
    return .success
  }

  private static func value(
    _ call: Call, _ domain: NamedDomain
  ) throws(Failure) -> PropertyListValue {
    if call.words.isEmpty { return .dictionary(try call.session.existing(domain)) }
    return try call.session.value(try call.path(), of: domain)
  }
}
