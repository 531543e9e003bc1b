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
    options: [.json, .format],
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
      try show(listing, call)
      return try call.session.report(listing)
    }
    try call.session.print(try value(call, domain), as: call.format())
    return .success
  }

  private static func value(
    _ call: Call, _ domain: NamedDomain
  ) throws(Failure) -> PropertyListValue {
    guard let key = call.words.first else {
      return .dictionary(try call.session.existing(domain))
    }
    return try call.session.value(key, of: domain)
  }

  private static func show(_ listing: DomainListing, _ call: Call) throws(Failure) {
    let session = call.session
    let domains = listing.domains.map {
      (key: $0.domain.listedName, value: PropertyListValue.dictionary($0.values))
    }
    guard let format = call.format() else {
      return try session.printText(DescriptionText.text(of: domains))
    }
    var all: [String: PropertyListValue] = [:]
    for (name, values) in domains {
      if all[name] == nil {
        all[name] = values
      } else {
        try session.note(
          "warning: \(format.title) does not preserve \(name): the name of another domain is the "
            + "same key; read that domain by its name")
      }
    }
    try session.print(.dictionary(all), as: format)
  }
}

extension NamedDomain {
  /// Its name in a list of all domains.
  var listedName: String { self == .global ? "Global Domain" : shown }
}
