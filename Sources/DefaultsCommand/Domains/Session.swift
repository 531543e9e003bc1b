package import StrataDomains
import StrataPropertyList
import StrataStorage

/// What one run of the command works on: the domains of one place, and a console.
package final class Session {
  package let console: any Console
  let host: HostChoice
  package let process: DomainProcess
  /// Whether warnings, hints and progress are left out.
  package let isQuiet: Bool
  private let user: String?

  /// - Parameters:
  ///   - surroundings: what determines where the domains are.
  ///   - user: whose domains; nil for those of the user whose rights the process has.
  package init(
    _ console: any Console, _ surroundings: ProcessSurroundings, _ host: HostChoice,
    user: String? = nil, isQuiet: Bool = false
  ) throws(Failure) {
    self.console = console
    self.host = host
    self.user = user
    self.isQuiet = isQuiet
    var surroundings = surroundings
    if case .named(let name) = host, let other = Self.host(named: name, console) {
      surroundings.host = other
    }
    // The command's own arguments and registered defaults are no part of what it reads.
    process = DomainProcess(
      surroundings, VolatileDomains(arguments: [:], languages: MemoryStore()),
      places: try user.map { (name) throws(Failure) in
        try Self.places(ofUser: name, surroundings, console)
      })
  }

  private static func places(
    ofUser name: String, _ surroundings: ProcessSurroundings, _ console: any Console
  ) throws(Failure) -> Places {
    let shown = ShownName.text(of: name)
    guard let user = console.user(named: name) else { throw Failure("unknown user \(shown)") }
    guard let places = Places(userNamed: name, in: surroundings, find: { _ in user }) else {
      throw Failure("only root may use the domains of another user, \(shown)")
    }
    guard places.userDirectory != nil else {
      throw Failure("the home directory of user \(shown) does not exist: \(user.home)")
    }
    return places
  }

  /// The host whose domains these are; nil if they are for all hosts.
  var domainHost: DomainHost? {
    let label: String
    switch host {
    case .any: return nil
    case .this: label = "(this host)"
    case .named(let name): label = "(host \(ShownName.text(of: name)))"
    }
    return DomainHost(identifier: process.places.host.text, label: label)
  }

  /// The same user's domains for another host.
  func on(_ host: HostChoice) throws(Failure) -> Session {
    try Session(console, process.surroundings, host, user: user, isQuiet: isQuiet)
  }

  /// The identifier of another host: the given one, or that of a host with this name and no machine
  /// ID; nil for this host.
  private static func host(named name: String, _ console: any Console) -> HostIdentifier? {
    if name == console.hostName || name == "localhost" { return nil }
    return HostIdentifier(digits: name) ?? HostIdentifier(of: name)
  }

  // -- Output

  package func print(_ text: String) throws(Failure) { try console.write(text + "\n") }
  /// Reports an error after which the verb continues.
  package func report(_ text: String) {
    do throws(Failure) {
      try console.write(ShownName.escaped(text) + "\n", to: .error)
    } catch {
      // Nobody can read it; what the verb does and its exit code are the same.
    }
  }
  /// Prints a warning or a hint.
  package func note(_ text: String) { if !isQuiet { report(text) } }
  package func progress(_ what: String) -> Progress {
    Progress(what, on: console, isQuiet: isQuiet)
  }
  package var style: Style { Style(of: console) }

  // -- Domains

  package func domain(_ name: String) throws(Failure) -> NamedDomain {
    try NamedDomain(name, isSetUID: process.surroundings.isSetUID)
  }

  /// The domain that a program has given this name.
  package func domain(stored name: String) throws(Failure) -> NamedDomain {
    try NamedDomain(stored: name, isSetUID: process.surroundings.isSetUID)
  }

  package func domain(typed name: String) throws(Failure) -> NamedDomain {
    try NamedDomain(typed: name, isSetUID: process.surroundings.isSetUID)
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
    path.utf8.starts(with: (process.places.systemDirectory + "/").utf8)
  }

  /// Fails where no domain can be stored: "none" would pass for what is stored.
  func requireHome() throws(Failure) {
    guard process.places.userDirectory != nil else {
      throw Failure("there is no home directory to look in; set HOME")
    }
  }

  /// All domains of this place, including the global one; one that can't be read hides no other.
  func domains() throws(Failure) -> DomainListing {
    try requireHome()
    let names: [String]
    do throws(StorageError) {
      names =
        try host == .any ? process.domainNames(in: process.places) : process.domainNamesOfHost()
    } catch {
      throw Failure(error.description)
    }
    var listing = DomainListing()
    for name in names {
      if host != .any, name.utf8.first == UInt8(ascii: "/") {
        listing.unreadable.append((nil, Self.unnamed(name)))
        continue
      }
      do throws(Failure) {
        try add(try domain(stored: name), to: &listing)
      } catch {
        listing.unreadable.append((nil, error.text ?? ""))
      }
    }
    return listing
  }

  private static func unnamed(_ file: String) -> String {
    "The name of the domain in \(ShownName.text(of: file)) is not known: it is longer than that of "
      + "a file, and the file that has it is missing"
  }

  private func add(_ domain: NamedDomain, to listing: inout DomainListing) throws(Failure) {
    let layer = try layer(of: domain)
    let values = layer.snapshot().values
    if let failure = unreadable(domain, layer) { listing.unreadable.append((domain, failure)) }
    if !values.isEmpty { listing.domains.append((domain, values)) }
  }

  /// Prints which domains can't be read.
  /// - Returns: the exit code of a verb that has printed the others.
  func report(_ listing: DomainListing) -> ExitCode {
    for (_, text) in listing.unreadable { report(text) }
    return listing.unreadable.isEmpty ? .success : .failure
  }

  // -- Reading

  /// All values; empty if the domain does not exist. Fails if some of what is stored can't be read.
  func values(of domain: NamedDomain) throws(Failure) -> [String: PropertyListValue] {
    let layer = try layer(of: domain)
    let values: [String: PropertyListValue]
    do throws(StorageError) {
      values = try layer.wholeSnapshot().values
    } catch {
      throw Failure(unreadable(domain, layer, error))
    }
    if values.isEmpty, let text = unreadable(domain, layer) { throw Failure(text) }
    return values
  }

  /// Why the whole domain can't be read; nil if it can.
  func unreadable(_ domain: NamedDomain, _ layer: Layer) -> String? {
    do throws(StorageError) {
      _ = try layer.wholeSnapshot()
    } catch {
      return unreadable(domain, layer, error)
    }
    guard case .file(let store) = layer,
      let issue = store.issues.last(where: { $0.kind == .malformed })
    else { return nil }
    return unreadable(domain, text(of: issue))
  }

  /// What is said of a domain that has lost values; nil if it has all.
  func damage(of domain: NamedDomain) throws(Failure) -> String? {
    guard case .file(let store) = try layer(of: domain), let issue = store.damage else {
      return nil
    }
    return "Domain \(domain.shown) has lost values: \(text(of: issue))"
  }

  private func unreadable(
    _ domain: NamedDomain, _ layer: Layer, _ error: StorageError
  ) -> String {
    guard case .file(let store) = layer,
      let issue = store.issues.last(where: { $0.text.hasPrefix(error.description) })
    else { return unreadable(domain, error.description) }
    return unreadable(domain, text(of: issue))
  }

  private func unreadable(_ domain: NamedDomain, _ cause: String) -> String {
    "Domain \(domain.shown) could not be read: \(cause)"
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

  func value(_ path: ValuePath, of domain: NamedDomain) throws(Failure) -> PropertyListValue {
    let layer = try layer(of: domain)
    let found: PropertyListValue?
    do throws(StorageError) {
      found = try layer.knownValue(forKey: path.key)
    } catch {
      throw Failure(unreadable(domain, layer, error))
    }
    if let found { return try path.value(in: found) }
    _ = try values(of: domain)  // throws the reason if the file is no property list
    if let damage = try damage(of: domain) { note("warning: \(damage)") }
    throw Self.missing(path.key, of: domain)
  }

  static func missing(_ key: String, of domain: NamedDomain) -> Failure {
    Failure("The domain/default pair of (\(domain.shown), \(key)) does not exist")
  }

  // -- Writing

  /// Decides on changes by the current values, and applies them atomically: if one of these keys
  /// has another value by then, decides again. Writes nothing if nothing is to change.
  func change(
    _ domain: NamedDomain,
    _ decide: ([String: PropertyListValue]) throws(Failure) -> ChangeSet
  ) throws(Failure) {
    while true {
      let values = try values(of: domain)
      let changes = try decide(values)
      if changes.changes.isEmpty, !changes.replacesAll { return }
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
      if store.flush() {
        noteForced(changes, domain)
        return true
      }
      if obstacle(of: store) != nil { break }
    }
    let cause = obstacle(of: store) ?? "another program keeps writing to it"
    guard store.synchronize() else { throw Failure("\(failure)\n\(cause)") }
    throw Failure(
      "The property list of domain \(domain.shown) could not be written.\n"
        + "\(cause)\n"
        + "The change has taken effect and is safe in the journal. It will be written to the "
        + "property list the next time a program uses the domain, once this is fixed.")
  }

  private static let flushesMax = 4

  /// Warns that an administrator's values hide those just written.
  private func noteForced(_ changes: ChangeSet, _ domain: NamedDomain) {
    if case .named = host { return }  // another machine's administrator may force other values
    if let path = domain.identifier.path, isForEveryone(path) { return }  // an administrator's own
    for place in [Place.managedUser, .managed] {
      for layer in process.layers(of: domain.identifier, in: place, process.places) {
        guard case .file(let store) = layer else { continue }
        for change in changes.changes where change.value != nil {
          guard store.value(forKey: change.key) != nil else { continue }
          note(
            "warning: the value of \(change.key) takes no effect: it is forced by "
              + store.paths.plist)
        }
      }
    }
  }

  private func obstacle(of store: Store) -> String? {
    let issues = store.issues
    guard
      let issue = issues.last(where: { $0.kind == .notStored })
        ?? issues.last(where: { $0.kind == .waiting })  // a process that is stopped
    else { return nil }
    return text(of: issue)
  }
}
