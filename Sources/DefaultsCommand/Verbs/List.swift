import StrataDomains
import StrataPropertyList
import StrataStorage

/// Prints the effective values of a domain and their origins.
extension Verb {
  static let list = Verb(
    "list",
    forms: [Form(.domain, summary: "shows the effective values of domain and their origins")],
    options: [.suite, .json],
    run: List.run)
}

private enum List {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    var found: [String: (value: PropertyListValue, source: Stack.Source)] = [:]
    let sources = try Origins.sources(call, domain)
    for source in sources {
      for (key, value) in source.layer?.snapshot().values ?? [:] where found[key] == nil {
        found[key] = (value, source)
      }
    }
    let code = try Origins.report(sources, call.session)
    if found.isEmpty {
      if code == .failure { return code }
      throw Failure("Domain \(domain.shown) does not exist")
    }
    if call.has(.json) {
      try call.session.print(.dictionary(found.mapValues(json)), as: .json)
    } else {
      for (key, entry) in KeySorting.sorted(found) {
        let value = try LineText.text(of: entry.value)
        let origin = entry.source.heading + (entry.source.place.isManaged ? ", forced" : "")
        let name = ShownName.text(of: key)
        try call.session.print("\(name) = \(value)  \(call.session.style.dim("(\(origin))"))")
      }
    }
    return code
  }

  private static func json(
    _ entry: (value: PropertyListValue, source: Stack.Source)
  ) -> PropertyListValue {
    .dictionary(Origins.json(entry.source).merging(["value": entry.value]) { $1 })
  }
}
