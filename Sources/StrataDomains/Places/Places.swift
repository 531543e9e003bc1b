package import StrataStorage

/// Where each place keeps its files, for one user.
// An object: every stack has it, and a copy of so many texts takes code of its own.
package final class Places: Equatable, Sendable {
  /// The environment variable that replaces the system directory.
  package static let systemVariable = "STRATA_SYSTEM_DIRECTORY"

  /// The user's own directory; nil if the user has no home, so that values live in memory.
  package let userDirectory: String?
  /// Its subdirectory for domains of single hosts.
  package let hostDirectory: String?
  /// The directory for all users and for the administrator.
  package let systemDirectory: String
  package let managedDirectory: String
  /// Contains a directory for each user with managed values.
  package let managedUsersDirectory: String
  package let recommendedDirectory: String
  /// Whether the environment chose the system directory.
  package let isSystemDirectoryReplaced: Bool
  /// The user whose places these are; nil if the password database does not know one.
  package var user: UserRecord? { userLookup.record }
  private let userLookup: UserLookup
  package var host: HostIdentifier { hostLookup.identifier }
  private let hostLookup: HostLookup

  /// The places of the user whose rights the process has.
  package convenience init(of surroundings: ProcessSurroundings) {
    self.init(
      configuration: surroundings.configurationDirectory, user: surroundings.userLookup,
      surroundings)
  }

  /// The places of the user with this name: the process's own user or, for root, any user.
  ///
  /// Another user's environment is unknown, so the files are expected in the default location. A
  /// home directory that does not exist counts as none: root must not create it.
  package convenience init?(
    userNamed name: String, in surroundings: ProcessSurroundings,
    find: (String) -> UserRecord? = UserRecord.named,
    isThere: (String) -> Bool = DirectoryWatch.isThere
  ) {
    guard let user = find(name) else { return nil }
    if user.id == surroundings.userID {
      self.init(
        configuration: surroundings.configurationDirectory, user: .known(user), surroundings)
    } else if surroundings.userID == 0 {
      let home = AbsolutePath.tidied(user.home).flatMap { isThere($0) ? $0 : nil }
      self.init(
        configuration: home.map { Path.join($0, ".config") }, user: .known(user), surroundings)
    } else {
      return nil
    }
  }

  private init(
    configuration: String?, user: UserLookup, _ surroundings: ProcessSurroundings
  ) {
    let replacement = surroundings.directory(Self.systemVariable)
    userDirectory = configuration.map { Path.join($0, "defaults") }
    hostDirectory = userDirectory.map { Path.join($0, "ByHost") }
    systemDirectory = replacement ?? "/etc/defaults"
    managedDirectory = Path.join(systemDirectory, "managed")
    managedUsersDirectory = Path.join(managedDirectory, "users")
    recommendedDirectory = Path.join(systemDirectory, "recommended")
    isSystemDirectoryReplaced = replacement != nil
    userLookup = user
    hostLookup = surroundings.hostLookup
  }

  package static func == (left: Places, right: Places) -> Bool {
    left === right
      || left.userDirectory == right.userDirectory && left.systemDirectory == right.systemDirectory
        && left.isSystemDirectoryReplaced == right.isSystemDirectoryReplaced
        && left.userLookup == right.userLookup && left.hostLookup == right.hostLookup
  }

  /// The stores that a place has for an identifier, in search order.
  ///
  /// The global places have the stores of the global domain for every identifier, and so have the
  /// managed and the recommended ones, after the identifier's own. A domain that is identified by a
  /// path is only in this user's places of applications and suites.
  package func stores(of identifier: DomainIdentifier, in place: Place) -> [StorePaths] {
    var stores: [StorePaths] = []
    forEachStore(of: identifier, in: place) { stores.append($0) }
    return stores
  }

  /// Calls `body` with each of them: the runtime would have to make the array's type in each
  /// process that only reads.
  /// - Parameter isForHosts: whether to call it with those for one host, too.
  func forEachStore(
    of identifier: DomainIdentifier, in place: Place, isForHosts: Bool = true,
    _ body: (StorePaths) -> Void
  ) {
    switch place {
    case .managedUser, .managed, .recommended:
      ofEveryone(identifier, in: place, body)
      if identifier != .global { ofEveryone(.global, in: place, body) }
    case .applicationEveryone, .suitesEveryone: ofEveryone(identifier, in: place, body)
    case .globalEveryone: ofEveryone(.global, in: place, body)
    case .arguments, .languages, .registration: break
    case .applicationHost: if isForHosts { ofHost(identifier, body) }
    case .application: ofUser(identifier, body)
    case .suites:
      if isForHosts { ofHost(identifier, body) }
      ofUser(identifier, body)
    case .globalHost: if isForHosts { ofHost(.global, body) }
    case .global: ofUser(.global, body)
    }
  }

  /// The directory of a place whose domains are for everyone; nil for another place, and where
  /// there is none for this user.
  func directoryForEveryone(_ place: Place) -> String? {
    switch place {
    case .managedUser: managedDirectoryOfUser
    case .managed: managedDirectory
    case .applicationEveryone, .suitesEveryone, .globalEveryone: systemDirectory
    case .recommended: recommendedDirectory
    case .applicationHost, .application, .suites, .globalHost, .global: nil
    case .arguments, .languages, .registration: nil
    }
  }

  /// Whether a domain of the user has no place on disk.
  package func hasNoHome(_ identifier: DomainIdentifier) -> Bool {
    userDirectory == nil && identifier.path == nil
  }

  /// Nil for a user whose name could lead to another directory.
  private var managedDirectoryOfUser: String? {
    guard let name = user?.name, EncodedName.isPlain(name) else { return nil }
    return Path.join(managedUsersDirectory, name)
  }

  /// Whether nobody can say at the moment what else is to be searched: which user has managed
  /// values, or which machine this is.
  func isUncertain(hasUsers: Bool, searchesHosts: Bool) -> Bool {
    hasUsers && userLookup.isFailing || searchesHosts && hostDirectory != nil && !host.isKnown
  }

  /// The store of this user's values on any host; nil without a home.
  func ownStore(of identifier: DomainIdentifier) -> StorePaths? {
    if let path = identifier.path { return StorePaths(plist: path) }
    guard let userDirectory, let name = identifier.fileName else { return nil }
    return StorePaths(identifier: name, in: userDirectory)
  }

  private func ofUser(_ identifier: DomainIdentifier, _ body: (StorePaths) -> Void) {
    if let paths = ownStore(of: identifier) { body(paths) }
  }

  private func ofHost(_ identifier: DomainIdentifier, _ body: (StorePaths) -> Void) {
    guard host.isKnown, let hostDirectory, let name = identifier.fileName else { return }
    body(StorePaths(identifier: Path.concatenated(name, ".", host.text), in: hostDirectory))
  }

  private func ofEveryone(
    _ identifier: DomainIdentifier, in place: Place, _ body: (StorePaths) -> Void
  ) {
    guard let directory = directoryForEveryone(place), let name = identifier.fileName else {
      return
    }
    body(StorePaths(identifier: name, in: directory, for: .everyone))
  }
}
