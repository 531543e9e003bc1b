import StrataDomains
import StrataStorage

/// Removes domains and keys.
extension Verb {
  /// Removes a domain or a key from one place.
  static let delete = Verb(
    "delete", or: ["remove"], isClassic: true, isChange: true,
    forms: [
      Form(.domain, summary: "deletes domain"),
      Form(.domain, .key, summary: "deletes key in domain"),
    ],
    options: [.path],
    run: Delete.run)

  /// Removes a domain or a key of the user for all hosts.
  static let deleteAll = Verb(
    "delete-all", isClassic: true, isChange: true,
    forms: [
      Form(.domain, summary: "deletes the domain for all hosts"),
      Form(.domain, .key, summary: "deletes key in domain for all hosts"),
    ],
    run: Delete.runForAllHosts)
}

private enum Delete {
  static func run(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    if call.has(.path) { return try remove(try call.path(), call.session, domain) }
    let values = try call.session.values(of: domain)
    guard call.words.first.map({ values[$0] != nil }) ?? !values.isEmpty else {
      throw notFound(domain)
    }
    try call.session.apply(removal(call), to: domain)
    return .success
  }

  private static func remove(
    _ path: ValuePath, _ session: Session, _ domain: NamedDomain
  ) throws(Failure) -> ExitCode {
    try session.change(domain) { (values) throws(Failure) in
      guard let value = values[path.key] else { throw Session.missing(path.key, of: domain) }
      _ = try path.value(in: value)
      let rest = try path.changing(value) { (_) throws(Failure) in nil }
      return ChangeSet([Change(key: path.key, value: rest)])
    }
    return .success
  }

  static func runForAllHosts(_ call: Call) throws(Failure) -> ExitCode {
    let domain = try call.domain()
    var isFound = false
    var failures: [Failure] = []
    for choice in try [.any] + hosts(of: domain, call.session) {
      let session = try call.session.on(choice)
      do throws(Failure) {
        let values = try session.values(of: domain)
        guard call.words.first.map({ values[$0] != nil }) ?? !values.isEmpty else { continue }
        isFound = true
        try session.apply(removal(call), to: domain)
      } catch {
        failures.append(error)  // continues with the other hosts
      }
    }
    if let last = failures.popLast() {
      for failure in failures { call.session.report(failure.text ?? "") }
      throw last
    }
    if !isFound { throw notFound(domain) }
    return .success
  }

  /// The hosts for which the user has the domain.
  private static func hosts(
    of domain: NamedDomain, _ session: Session
  ) throws(Failure) -> [HostChoice] {
    guard let directory = session.process.places.hostDirectory,
      let name = domain.identifier.fileName
    else { return [] }
    let start = name + "."
    do throws(StorageError) {
      return try StoredNames.of(directory: directory).compactMap { file in
        guard file.utf8.starts(with: start.utf8) else { return nil }
        let digits = String(decoding: file.utf8.dropFirst(start.utf8.count), as: UTF8.self)
        return HostIdentifier(digits: digits).map { .named($0.text) }
      }
    } catch {
      throw Failure(error.description)
    }
  }

  private static func removal(_ call: Call) -> ChangeSet {
    guard let key = call.words.first else { return ChangeSet([], replacesAll: true) }
    return ChangeSet([Change(key: key, value: nil)])
  }

  private static func notFound(_ domain: NamedDomain) -> Failure {
    Failure("Domain (\(domain.shown)) not found.\nDefaults have not been changed.")
  }
}
