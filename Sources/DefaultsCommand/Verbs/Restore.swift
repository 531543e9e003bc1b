import StrataDomains
import StrataPropertyList
import StrataStorage

/// Restores all domains of the user from a backup.
extension Verb {
  static let restore = Verb(
    "restore", isForAllHosts: true,
    forms: [
      Form(
        Operand(.file, "<archive>"),
        summary: "replaces all domains of the user with those of a backup")
    ],
    options: [.yes, .dryRun, .json],
    notes: [
      "Either all domains are replaced or none: an interrupted restore is completed by the next "
        + "program that uses the domains, before it reads anything. Domains that are not in the "
        + "archive are emptied. Running programs see the new values at once.",
      "On a terminal, shows which domains change, and asks before it changes them. "
        + "With --dry-run, only shows them, and with --json as JSON.",
    ],
    run: Restore.run)
}

extension CommandOption {
  static let yes = CommandOption("yes", nil, "does not ask")
}

private enum Restore {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let console = call.session.console
    let path = call.words[0]
    let name = path == "-" ? "standard input" : path
    let bytes = try console.read(path)
    let archive: Archive
    do throws(ArchiveError) {
      archive = try Archive(bytes)
    } catch {
      throw Failure("cannot restore \(name): \(error)")
    }
    if call.has(.dryRun) {
      try show(try effects(of: archive, call.session), call)
      return .success
    }
    if !call.has(.yes) { try ask(archive, call.session) }
    let progress = call.session.progress("restore")
    // The next program would have to complete an interrupted restoration, so avoid that.
    console.holdSignals()
    defer { console.releaseSignals() }
    let remark: String?
    do throws(ArchiveError) {
      remark = try Restoration.restore(archive, in: call.session.process.places) {
        progress.show(ShownName.text(of: $0), $1, of: $2)
      }
    } catch {
      throw Failure("cannot restore \(name): \(error)")
    }
    if let remark { throw Failure(remark) }
    return .success
  }

  /// Shows what would change, and asks, if somebody is there to answer.
  private static func ask(_ archive: Archive, _ session: Session) throws(Failure) {
    let console = session.console
    guard console.isTerminal(.input), console.isTerminal(.error) else { return }
    let effects = try effects(of: archive, session)
    if effects.isEmpty { return }
    for effect in effects { session.report(effect.text) }
    if try console.asks("Replace these domains? [y/N] ", byDefault: false) == false {
      throw Failure("Nothing was changed.")
    }
  }

  /// What the domains that would change would lose and gain.
  private static func effects(
    of archive: Archive, _ session: Session
  ) throws(Failure) -> [Effect] {
    var now: [FileName: [String: PropertyListValue]] = [:]
    let places = session.process.places
    do throws(ArchiveError) {
      for file in try Archive.files(in: places) {
        // What can't be read is replaced, too.
        now[FileName(file.name)] = Store.open(file.paths).snapshot().values
      }
    } catch {
      throw Failure(error.description)
    }
    let names = StoredNames.sorted(Set(now.keys).union(archive.domains.keys).map(\.text))
    return names.map { FileName($0) }.compactMap { name in
      let difference = Difference(from: now[name] ?? [:], to: archive.domains[name] ?? [:])
      if difference.isEmpty { return nil }
      return Effect(difference, archive.title(of: name, in: places), isThis: places.host)
    }
  }

  private static func show(_ effects: [Effect], _ call: Call) throws(Failure) {
    if call.has(.json) {
      try call.session.print(.array(effects.map(\.json)), as: .json)
    } else {
      for effect in effects { try call.session.print(effect.text) }
    }
  }

  /// How many keys of a domain change, and how.
  private struct Effect {
    private let name: String
    private let host: DomainHost?
    private let counts: [(verb: String, count: Int)]

    init(
      _ difference: Difference, _ title: (domain: String, host: HostIdentifier?),
      isThis host: HostIdentifier
    ) {
      let changes = difference.changes
      let removed = changes.values.count { $0.new == nil }
      let added = changes.values.count { $0.old == nil }
      name = title.domain
      self.host = title.host.map {
        let label = $0 == host ? "(this host)" : "(host \($0.text))"
        return DomainHost(identifier: $0.text, label: label)
      }
      counts = [
        ("removes", removed), ("adds", added), ("changes", changes.count - removed - added),
      ]
    }

    var text: String {
      let parts = counts.filter { $0.count > 0 }.map { verb, count in
        "\(verb) \(count == 1 ? "1 key" : "\(count) keys")"
      }
      let shown = NamedDomain.listedName(of: name)
      let label = host.map { " \($0.label)" } ?? ""
      return ShownName.text(of: shown) + label + ": " + parts.joined(separator: ", ")
    }

    var json: PropertyListValue {
      var entry: [String: PropertyListValue] = ["domain": .string(name)]
      entry["host"] = host.map { .string($0.identifier) }
      for (verb, count) in counts { entry[verb] = .integer(Int64(count)) }
      return .dictionary(entry)
    }
  }
}
