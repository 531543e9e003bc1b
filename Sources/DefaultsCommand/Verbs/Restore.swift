import StrataDomains
import StrataPropertyList
import StrataStorage

/// Restores all domains of the user from a backup.
extension Verb {
  static let restore = Verb(
    "restore",
    forms: [
      Form(
        Operand(.file, "<archive>"),
        summary: "replaces all domains of the user with those of a backup")
    ],
    options: [.yes, .dryRun],
    notes: [
      "Either all domains are replaced or none: an interrupted restore is completed by the next "
        + "program that uses the domains, before it reads anything. Domains that are not in the "
        + "archive are emptied. Running programs see the new values at once.",
      "On a terminal, shows which domains change, and asks before it changes them.",
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
      for line in try effects(of: archive, call.session) { try call.session.print(line) }
      return .success
    }
    if !call.has(.yes) { try ask(archive, call.session) }
    let progress = call.session.progress("restore")
    // The next program would have to complete an interrupted restoration, so avoid that.
    console.holdSignals()
    defer { console.releaseSignals() }
    do throws(ArchiveError) {
      try Restoration.restore(archive, in: call.session.process.places) {
        progress.show(ShownName.text(of: $0), $1, of: $2)
      }
    } catch {
      throw Failure("cannot restore \(name): \(error)")
    }
    return .success
  }

  /// Shows what would change, and asks, if somebody is there to answer.
  private static func ask(_ archive: Archive, _ session: Session) throws(Failure) {
    let console = session.console
    guard console.isTerminal(.input), console.isTerminal(.error) else { return }
    let lines = try effects(of: archive, session)
    if lines.isEmpty { return }
    for line in lines { try session.report(line) }
    if try console.asks("Replace these domains? [y/N] ", byDefault: false) == false {
      throw Failure("Nothing was changed.")
    }
  }

  /// A line for each domain that would change.
  private static func effects(
    of archive: Archive, _ session: Session
  ) throws(Failure) -> [String] {
    var now: [FileName: [String: PropertyListValue]] = [:]
    do throws(ArchiveError) {
      for file in try Archive.files(in: session.process.places) {
        // What can't be read is replaced, too.
        now[FileName(file.name)] = Store.open(file.paths).snapshot().values
      }
    } catch {
      throw Failure(error.description)
    }
    let names = StoredNames.sorted(Set(now.keys).union(archive.domains.keys).map(\.text))
    return names.map { FileName($0) }.compactMap {
      line($0, now[$0] ?? [:], archive.domains[$0] ?? [:])
    }
  }

  private static func line(
    _ name: FileName, _ old: [String: PropertyListValue], _ new: [String: PropertyListValue]
  ) -> String? {
    let changes = Difference(from: old, to: new).changes
    if changes.isEmpty { return nil }
    let removed = changes.values.count { $0.new == nil }
    let added = changes.values.count { $0.old == nil }
    let parts = [
      ("removes", removed), ("adds", added), ("changes", changes.count - removed - added),
    ]
    return ShownName.text(of: name.text) + ": "
      + parts.filter { $0.1 > 0 }.map { "\($0.0) \(counted($0.1))" }.joined(separator: ", ")
  }

  private static func counted(_ count: Int) -> String { count == 1 ? "1 key" : "\(count) keys" }
}
