package import StrataDomains
import StrataPropertyList
import StrataStorage

/// What one run of the command works on: the domains of one place, and a console.
package final class Session {
  let console: any Console
  let host: HostChoice
  let process: DomainProcess

  /// - Parameter surroundings: what determines where the domains are.
  package init(_ console: any Console, _ surroundings: ProcessSurroundings, _ host: HostChoice) {
    self.console = console
    self.host = host
    var surroundings = surroundings
    if case .named(let name) = host, let other = Self.host(named: name, console) {
      surroundings.host = other
    }
    // The command's own arguments and registered defaults are no part of what it reads.
    process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: MemoryStore()))
  }

  /// The identifier of another host: the given one, or that of a host with this name and no machine
  /// ID; nil for this host.
  private static func host(named name: String, _ console: any Console) -> HostIdentifier? {
    if name == console.hostName || name == "localhost" { return nil }
    return HostIdentifier(digits: name) ?? HostIdentifier(of: name)
  }

  // -- Output

  func print(_ text: String) throws(Failure) { try console.write(text + "\n") }
  func note(_ text: String) throws(Failure) { try console.write(text + "\n", to: .error) }
  var style: Style { Style(of: console) }

  // -- Domains

  func domain(_ name: String) throws(Failure) -> NamedDomain {
    try NamedDomain(name, isSetUID: process.surroundings.isSetUID)
  }

  /// The one place of a domain that is read and written.
  func layer(of domain: NamedDomain) throws(Failure) -> Layer {
    let identifier = domain.identifier
    if host == .any {
      guard let path = identifier.path, isForEveryone(path) else {
        return process.domain(identifier)
      }
      return .file(Store.open(StorePaths(plist: path, for: .everyone)))
    }
    guard let layer = process.domainOnThisHost(identifier) else {
      throw Failure(
        identifier.path == nil
          ? "there is no home directory for settings of one host; set HOME"
          : "\(domain.shown) is a file, which is the same for all hosts; "
            + "omit -currentHost or -host")
    }
    return layer
  }

  /// An administrator's file must be readable by everyone, even if it is identified by its path.
  private func isForEveryone(_ path: String) -> Bool {
    path.hasPrefix(process.places.systemDirectory + "/")
  }

  /// All domains of this place, including the global one; one that can't be read hides no other.
  func domains() throws(Failure) -> DomainListing {
    let names: [String]
    do throws(StorageError) {
      names =
        try host == .any ? process.domainNames(in: process.places) : process.domainNamesOfHost()
    } catch {
      throw Failure(error.description)
    }
    var listing = DomainListing()
    for name in names { try add(try domain(name), to: &listing) }
    return listing
  }

  private func add(_ domain: NamedDomain, to listing: inout DomainListing) throws(Failure) {
    let layer = try layer(of: domain)
    let values = layer.snapshot().values
    if let failure = unreadable(domain, layer) { listing.unreadable.append((domain, failure)) }
    if !values.isEmpty { listing.domains.append((domain, values)) }
  }

  /// Prints which domains can't be read.
  /// - Returns: the exit code of a verb that has printed the others.
  func report(_ listing: DomainListing) throws(Failure) -> ExitCode {
    for (_, text) in listing.unreadable { try note(ShownName.escaped(text)) }
    return listing.unreadable.isEmpty ? .success : .failure
  }

  // -- Reading

  /// All values; empty if the domain does not exist.
  func values(of domain: NamedDomain) throws(Failure) -> [String: PropertyListValue] {
    let layer = try layer(of: domain)
    let values = layer.snapshot().values
    if values.isEmpty, let text = unreadable(domain, layer) { throw Failure(text) }
    return values
  }

  /// Why the whole domain can't be read; nil if it can.
  private func unreadable(_ domain: NamedDomain, _ layer: Layer) -> String? {
    guard case .file(let store) = layer,
      let issue = store.issues.last(where: { [.unreadable, .malformed].contains($0.kind) })
    else { return nil }
    return "Domain \(domain.shown) could not be read: \(text(of: issue))"
  }

  /// The text of an issue that the command reports itself, so that the log need not.
  private func text(of issue: StorageIssue) -> String {
    console.omitFromLog(issue.description)
    return issue.text.contains(issue.path) ? issue.text : "\(issue.path): \(issue.text)"
  }

  /// All values of a domain that must have some.
  func existing(_ domain: NamedDomain) throws(Failure) -> [String: PropertyListValue] {
    let values = try values(of: domain)
    if values.isEmpty { throw Failure("Domain \(domain.shown) does not exist") }
    return values
  }

  func value(_ key: String, of domain: NamedDomain) throws(Failure) -> PropertyListValue {
    if let value = try layer(of: domain).value(forKey: key) { return value }
    _ = try values(of: domain)  // throws the reason if the file can't be read
    throw Failure("The domain/default pair of (\(domain.shown), \(key)) does not exist")
  }

  // -- Writing

  /// Decides on changes by the current values, and applies them atomically: if one of these keys
  /// has another value by then, decides again.
  func change(
    _ domain: NamedDomain,
    _ decide: ([String: PropertyListValue]) throws(Failure) -> ChangeSet
  ) throws(Failure) {
    while true {
      let values = try values(of: domain)
      let changes = try decide(values)
      let expected = changes.changes.map { Change(key: $0.key, value: values[$0.key]) }
      if try apply(changes, to: domain, ifStill: expected) { return }
    }
  }

  /// Applies the changes, all or none, and returns once they are in the file.
  /// - Returns: whether each expected key still had its value; otherwise nothing was changed.
  @discardableResult
  func apply(
    _ changes: ChangeSet, to domain: NamedDomain, ifStill expected: [Change] = []
  ) throws(Failure) -> Bool {
    let layer = try layer(of: domain)
    let failure = "Could not write domain \(domain.shown); exiting"
    if case .file(let store) = layer, let obstacle = WritePermission.obstacle(to: store.paths) {
      throw Failure("\(failure)\n\(obstacle)")
    }
    do throws(StorageError) {
      guard try layer.apply(changes, ifStill: expected) else { return false }
    } catch {
      throw Failure("\(failure)\n\(error.description)")
    }
    guard case .file(let store) = layer else {
      throw Failure("\(failure)\nthere is no home directory to store it in; set HOME")
    }
    // Other programs may prevent a flush for a moment, so it is retried unless there is an
    // obstacle.
    for _ in 0..<Self.flushesMax {
      if store.flush() { return true }
      if obstacle(of: store) != nil { break }
    }
    let cause = obstacle(of: store) ?? "other programs keep writing to it"
    guard store.synchronize() else { throw Failure("\(failure)\n\(cause)") }
    throw Failure(
      "The property list of domain \(domain.shown) could not be written.\n"
        + "\(cause)\n"
        + "The change has taken effect and is safe in the journal. It will be written to the "
        + "property list the next time a program uses the domain, once this is fixed.")
  }

  private static let flushesMax = 4

  private func obstacle(of store: Store) -> String? {
    guard let issue = store.issues.last(where: { $0.kind == .notStored }) else { return nil }
    return text(of: issue)
  }
}
