import SettingsBundles
import StrataDomains
import StrataPropertyList
import StrataStorage

/// Prints where a key's effective value comes from, and where else the key has a value.
extension Verb {
  static let explain = Verb(
    "explain",
    forms: [Form(.domain, .key, summary: "shows all places that are searched for key, in order")],
    options: [.suite, .json],
    notes: [
      "An arrow marks the effective value. Values that only a running program has (arguments, "
        + "languages and registered defaults) are not shown; an argument would override all places "
        + "after it."
    ],
    run: Explain.run)
}

extension CommandOption {
  static let suite = CommandOption(
    "suite", "<suite>", kind: .domain,
    "also searches this suite, as after addSuite(named:); may be repeated")
}

private enum Explain {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let (domain, key) = (try call.domain(), call.words[0])
    let described = try call.session.description(of: domain)
    let sources = try Origins.sources(call, domain, described)
    let winner = sources.firstIndex { $0.value(forKey: key) != nil }
    let standard = described?.bundle.defaultValues[key]
    if call.has(.json) {
      var entries = sources.enumerated().map { json($1, key, counts: $0 == winner) }
      if let described, let standard {
        entries.append(
          .dictionary(
            DescribedDefault.json(described.path).merging(
              ["counts": .boolean(winner == nil), "value": standard]) { $1 }))
      }
      try call.session.print(.array(entries), as: .json)
    } else {
      try show(call.session, sources, key, winner)
      if let described, let standard {
        let arrow = winner == nil ? "=>" : "  "
        let text = try LineText.text(of: standard)
        let line = "\(arrow)    \(DescribedDefault.heading(described.path)) = \(text)"
        try call.session.print(winner == nil ? call.session.style.bold(line) : line)
      }
    }
    let code = Origins.report(sources, call.session)
    // A domain that can't be read may have the key.
    guard winner == nil, standard == nil, code == .success else { return code }
    throw Session.missing(key, of: domain)
  }

  private static func show(
    _ session: Session, _ sources: [Stack.Source], _ key: String, _ winner: Int?
  ) throws(Failure) {
    let volatile = Place.allCases.filter(\.isVolatile).map { ($0, "   \($0.number)") }
    var lines = volatile.map { place, start in
      (place.rawValue, session.style.dim("\(start) \(place.title)  (in a running program)"))
    }
    for (index, source) in sources.enumerated() {
      let text = try line(session, source, key, counts: index == winner)
      lines.append((source.place.rawValue, text))
      for detail in try details(source, key) { lines.append((source.place.rawValue, detail)) }
    }
    // Both parts are sorted; comparing offsets keeps the order of several lines of one place.
    for (_, line) in lines.enumerated().sorted(by: { left, right in
      (left.element.0, left.offset) < (right.element.0, right.offset)
    }).map(\.element) {
      try session.print(line)
    }
  }

  private static func line(
    _ session: Session, _ source: Stack.Source, _ key: String, counts: Bool
  ) throws(Failure) -> String {
    let start = "\(counts ? "=>" : "  ") \(source.place.number) \(source.heading)"
    guard let value = source.value(forKey: key) else {
      let remark = source.distrust.map { "  (\($0))" } ?? ""
      return session.style.dim(start + remark)
    }
    let text = "\(start) = \(try LineText.text(of: value))"
    let line = source.place.isManaged ? text + "  (forced by this file)" : text
    return counts ? session.style.bold(line) : line
  }

  /// Which policy a value comes from, if a fleet's agent has written it.
  private static func details(
    _ source: Stack.Source, _ key: String
  ) throws(Failure) -> [String] {
    guard let entry = provenance(source, key) else { return [] }
    var texts = [entry.summary]
    if let until = entry.until { texts.append("until \(try LineText.text(of: .date(until)))") }
    texts += entry.overrode.map { "overrides \($0)" }
    return texts.map { "        " + ShownName.escaped($0, but: "") }
  }

  private static func provenance(_ source: Stack.Source, _ key: String) -> Provenance.Entry? {
    guard source.place.needsTrust, let paths = source.paths,
      let value = source.value(forKey: key)
    else { return nil }
    return Provenance.read(besidePlist: paths.plist)?.entry(forKey: key, value: value)
  }

  private static func json(
    _ source: Stack.Source, _ key: String, counts: Bool
  ) -> PropertyListValue {
    var entry = Origins.json(source)
    entry["counts"] = .boolean(counts)
    entry["value"] = source.value(forKey: key)
    entry["policy"] = provenance(source, key).map { .dictionary($0.described) }
    entry["ignored"] = source.distrust.map { .string($0.description) }
    return .dictionary(entry)
  }
}

extension Place {
  /// Its number in the search list, padded to two columns.
  var number: String { rawValue < 10 ? " \(rawValue)" : "\(rawValue)" }
}
