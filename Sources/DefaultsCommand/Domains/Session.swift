package import StrataDomains
import StrataPropertyList
import StrataStorage

/// What one run of the command works on: the domains of one place, and a console to speak to.
package final class Session {
  let console: any Console
  let host: HostChoice
  let process: DomainProcess

  /// - Parameter surroundings: where the domains are.
  package init(_ console: any Console, _ surroundings: ProcessSurroundings, _ host: HostChoice) {
    self.console = console
    self.host = host
    var surroundings = surroundings
    if case .named(let name) = host, let other = Self.host(named: name, console) {
      surroundings.host = other
    }
    // One place is read, and neither arguments nor what a program registers.
    process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: MemoryStore()))
  }

  /// What stands for another host: its identifier, or what a host of that name without a number
  /// has.
  private static func host(named name: String, _ console: any Console) -> HostIdentifier? {
    if name == console.hostName || name == "localhost" { return nil }
    return HostIdentifier(digits: name) ?? HostIdentifier(of: name)
  }

  // -- Speaking

  func print(_ text: String) throws(Failure) { try console.write(text + "\n") }
  func note(_ text: String) throws(Failure) { try console.write(text + "\n", to: .error) }
  var style: Style { Style(of: console) }

  // -- Finding

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

  /// An administrator's file must be readable for all, however it is named.
  private func isForEveryone(_ path: String) -> Bool {
    path.hasPrefix(process.places.systemDirectory + "/")
  }

  /// All domains of this place, the global one among them: one that can't be read hides no other.
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

  /// Says which domains could not be read.
  /// - Returns: the exit code of whoever showed the others.
  func report(_ listing: DomainListing) throws(Failure) -> ExitCode {
    for (_, text) in listing.unreadable { try note(ShownName.escaped(text)) }
    return listing.unreadable.isEmpty ? .success : .failure
  }

  // -- Reading

  /// All values; none where there is no such domain.
  func values(of domain: NamedDomain) throws(Failure) -> [String: PropertyListValue] {
    let layer = try layer(of: domain)
    let values = layer.snapshot().values
    if values.isEmpty, let text = unreadable(domain, layer) { throw Failure(text) }
    return values
  }

  /// What keeps a domain from being read, as a whole; nothing where nothing does.
  private func unreadable(_ domain: NamedDomain, _ layer: Layer) -> String? {
    guard case .file(let store) = layer,
      let issue = store.issues.last(where: { [.unreadable, .malformed].contains($0.kind) })
    else { return nil }
    return "Domain \(domain.shown) could not be read: \(text(of: issue))"
  }

  /// An issue that is reported here, and need not be logged, too.
  private func text(of issue: StorageIssue) -> String {
    HeldLog.omit(issue.description)
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
    _ = try values(of: domain)  // says so when the file can't be read
    throw Failure("The domain/default pair of (\(domain.shown), \(key)) does not exist")
  }

  // -- Writing

  /// Makes changes that are found by looking at the domain, with nobody in between: where a key has
  /// another value by then, the domain is looked at again.
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

  /// Makes the changes, all or none, and returns when they are in the file.
  /// - Returns: whether each expected key still had its value; else nothing was changed.
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
    // Whom others kept from it for a while tries again; what is in the way is told.
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
