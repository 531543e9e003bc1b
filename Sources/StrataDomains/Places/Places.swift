package import StrataStorage

/// Where each place keeps its files, for one user.
package struct Places: Equatable, Sendable {
  /// The environment variable that replaces the system directory.
  package static let systemVariable = "STRATA_SYSTEM_DIRECTORY"

  /// The user's own directory; nil if the user has no home, so that values live in memory.
  package let userDirectory: String?
  /// Its subdirectory for domains of single hosts.
  package var hostDirectory: String? { userDirectory.map { Path.join($0, "ByHost") } }
  /// The directory for all users and for the administrator.
  package let systemDirectory: String
  /// Whether the environment chose the system directory.
  package let isSystemDirectoryReplaced: Bool
  /// The user whose places these are; nil if the password database does not know one.
  package var user: UserRecord? { userLookup.record }
  private let userLookup: UserLookup
  package let host: HostIdentifier

  /// The places of the user whose rights the process has.
  package init(of surroundings: ProcessSurroundings) {
    self.init(
      configuration: surroundings.configurationDirectory, user: surroundings.userLookup,
      surroundings)
  }

  /// The places of the user with this name: the process's own user or, for root, any user.
  ///
  /// Another user's environment is unknown, so the files are expected in the default location. A
  /// home directory that does not exist counts as none: root must not create it.
  package init?(
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
    systemDirectory = replacement ?? "/etc/defaults"
    isSystemDirectoryReplaced = replacement != nil
    userLookup = user
    host = surroundings.host
  }

  /// The stores that a place has for an identifier, in search order.
  ///
  /// The global places have the stores of the global domain for every identifier. A domain that is
  /// identified by a path is only in this user's places of applications and suites.
  package func stores(of identifier: DomainIdentifier, in place: Place) -> [StorePaths] {
    switch place {
    case .managedUser: managedDirectoryOfUser.map { everyone(identifier, in: $0) } ?? []
    case .managed: everyone(identifier, in: managedDirectory)
    case .arguments, .languages, .registration: []
    case .applicationHost: ofHost(identifier)
    case .application: ofUser(identifier)
    case .suites: ofHost(identifier) + ofUser(identifier)
    case .globalHost: ofHost(.global)
    case .global: ofUser(.global)
    case .applicationEveryone, .suitesEveryone: everyone(identifier, in: systemDirectory)
    case .globalEveryone: everyone(.global, in: systemDirectory)
    case .recommended: everyone(identifier, in: recommendedDirectory)
    }
  }

  /// Whether a domain of the user has no place on disk.
  package func hasNoHome(_ identifier: DomainIdentifier) -> Bool {
    userDirectory == nil && identifier.path == nil
  }

  package var managedDirectory: String { below("managed") }
  package var recommendedDirectory: String { below("recommended") }
  /// Contains a directory for each user with managed values.
  package var managedUsersDirectory: String { managedDirectory + "/users" }

  /// Nil for a user whose name could lead to another directory.
  private var managedDirectoryOfUser: String? {
    guard let name = user?.name, EncodedName.isPlain(name) else { return nil }
    return managedUsersDirectory + "/" + name
  }

  private func below(_ name: String) -> String { Path.join(systemDirectory, name) }

  private func ofUser(_ identifier: DomainIdentifier) -> [StorePaths] {
    if let path = identifier.path { return [StorePaths(plist: path)] }
    guard let userDirectory, let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: name, in: userDirectory)]
  }

  private func ofHost(_ identifier: DomainIdentifier) -> [StorePaths] {
    guard host.isKnown, let hostDirectory, let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: "\(name).\(host.text)", in: hostDirectory)]
  }

  private func everyone(_ identifier: DomainIdentifier, in directory: String) -> [StorePaths] {
    guard let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: name, in: directory, for: .everyone)]
  }
}
