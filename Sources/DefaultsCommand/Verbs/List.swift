import SettingsBundles
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
    let description = try call.session.description(of: domain)
    let sources = try Origins.sources(call, domain, description)
    for source in sources {
      for (key, value) in source.layer?.snapshot().values ?? [:] where found[key] == nil {
        found[key] = (value, source)
      }
    }
    let code = Origins.report(sources, call.session)
    let described = describedDefaults(description, without: Set(found.keys))
    if found.isEmpty, described.isEmpty {
      if code == .failure { return code }
      throw Failure("Domain \(domain.shown) does not exist")
    }
    if call.has(.json) {
      let entries = found.mapValues(json).merging(described.mapValues(json)) { $1 }
      try call.session.print(.dictionary(entries), as: .json)
    } else {
      var lines = found.mapValues { entry in
        (entry.value, entry.source.heading + (entry.source.place.isManaged ? ", forced" : ""))
      }
      lines.merge(described.mapValues { ($0.value, DescribedDefault.heading($0.path)) }) { $1 }
      for (key, (value, origin)) in KeySorting.sorted(lines) {
        let name = ShownName.text(of: key)
        let text = try LineText.text(of: value)
        try call.session.print("\(name) = \(text)  \(call.session.style.dim("(\(origin))"))")
      }
    }
    return code
  }

  /// The defaults in the domain's Settings bundle, the lowest place of all.
  private static func describedDefaults(
    _ described: DescribedDomain?, without keys: Set<String>
  ) -> [String: (value: PropertyListValue, path: String)] {
    guard let described else { return [:] }
    return described.bundle.defaultValues.filter { !keys.contains($0.key) }
      .mapValues { ($0, described.path) }
  }

  private static func json(
    _ entry: (value: PropertyListValue, path: String)
  ) -> PropertyListValue {
    .dictionary(DescribedDefault.json(entry.path).merging(["value": entry.value]) { $1 })
  }

  private static func json(
    _ entry: (value: PropertyListValue, source: Stack.Source)
  ) -> PropertyListValue {
    .dictionary(Origins.json(entry.source).merging(["value": entry.value]) { $1 })
  }
}
