import StrataDomains
import StrataPropertyList
import StrataStorage

/// Finds where effective values come from, for `explain` and `list`.
enum Origins {
  /// The search list of a domain, with the suites given as options.
  static func sources(
    _ call: Call, _ domain: NamedDomain, _ described: DescribedDomain?
  ) throws(Failure) -> [Stack.Source] {
    let stack = call.session.process.stack(of: domain.identifier)
    for name in call.values(of: .suite) {
      let suite = try call.session.domain(name).identifier
      do throws(Stack.Refusal) {
        try stack.add(suite: suite, by: call.session)
      } catch {
        throw Failure("cannot add suite \(name): its domain is searched anyway")
      }
    }
    addGroup(of: described, to: stack, call.session)
    return stack.sources()
  }

  /// Searches the group that a domain's Settings bundle names: its settings are stored there.
  static func addGroup(of described: DescribedDomain?, to stack: Stack, _ session: Session) {
    guard let group = described?.domain.identifier else { return }
    do throws(Stack.Refusal) { try stack.add(suite: group, by: session) } catch {}  // it is anyway
  }

  /// Reports the domains of the search list that can't be read: their values are missing.
  static func report(
    _ sources: [Stack.Source], _ session: Session
  ) -> ExitCode {
    var code = ExitCode.success
    for source in sources {
      guard let layer = source.layer else { continue }
      let domain = NamedDomain(shown: source.identifier.name, identifier: source.identifier)
      guard let text = session.unreadable(domain, layer) else { continue }
      session.report(text)
      code = .failure
    }
    return code
  }

  static func json(_ source: Stack.Source) -> [String: PropertyListValue] {
    var entry: [String: PropertyListValue] = [
      "place": .integer(Int64(source.place.rawValue)), "name": .string(source.place.title),
      "domain": .string(source.identifier.name), "forced": .boolean(source.place.isManaged),
    ]
    entry["file"] = source.paths.map { .string($0.plist) }
    return entry
  }
}

extension Stack.Source {
  /// The title of the place, with the file.
  var heading: String {
    let isSuite = [.suites, .suitesEveryone].contains(place)
    let suite = isSuite ? " " + ShownName.text(of: identifier.name) : ""
    return place.title + suite + "  " + ShownName.text(of: paths?.plist ?? "(in memory)")
  }
}

/// A default that a Settings bundle describes: a place below all that are searched.
enum DescribedDefault {
  static func heading(_ path: String) -> String {
    "described default  " + ShownName.text(of: path)
  }

  static func json(_ path: String) -> [String: PropertyListValue] {
    ["name": "described default", "file": .string(path), "forced": false]
  }
}
