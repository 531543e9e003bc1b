package import StrataStorage

/// Where the files of every place are, for one user.
package struct Places: Hashable, Sendable {
  /// The variable of the environment that replaces the system directory.
  package static let systemVariable = "STRATA_SYSTEM_DIRECTORY"

  /// The user's own directory; nothing when the user has no home, and values live in memory.
  package let userDirectory: String?
  /// What of it is for single hosts.
  package var hostDirectory: String? { userDirectory.map { Path.join($0, "ByHost") } }
  /// The directory of all users and of the administrator.
  package let systemDirectory: String
  /// Whether the environment chose the system directory.
  package let isSystemDirectoryReplaced: Bool
  /// Who the places are for; nothing when the password database does not know.
  package var user: UserRecord? { userLookup.record }
  private let userLookup: UserLookup
  package let host: HostIdentifier

  /// The places of the user whose rights the process has.
  package init(of surroundings: ProcessSurroundings) {
    self.init(
      configuration: surroundings.configurationDirectory, user: surroundings.userLookup,
      surroundings)
  }

  /// The places of the user of this name, who must be the process's own unless that is root.
  ///
  /// Another user's environment is not known: the files are looked for where they usually are. A
  /// home that is not there is none, and not for root to make.
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

  /// The stores that a place has for an identifier, in the order in which they are searched.
  ///
  /// The global places have the global domain's, whatever the identifier is. A domain that is a
  /// file by its path is in its application's or suite's place of this user, and in no other.
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
    case .recommended: everyone(identifier, in: below("recommended"))
    }
  }

  /// Whether a domain of the user has nowhere to be.
  package func hasNoHome(_ identifier: DomainIdentifier) -> Bool {
    userDirectory == nil && identifier.path == nil
  }

  private var managedDirectory: String { below("managed") }
  /// Has a directory for each user for whom something is managed.
  package var managedUsersDirectory: String { managedDirectory + "/users" }

  /// Nothing for a user whose name could lead elsewhere.
  private var managedDirectoryOfUser: String? {
    guard let name = user?.name, DomainIdentifier.fault(inName: name) == nil else { return nil }
    return managedUsersDirectory + "/" + name
  }

  private func below(_ name: String) -> String { Path.join(systemDirectory, name) }

  private func ofUser(_ identifier: DomainIdentifier) -> [StorePaths] {
    if let path = identifier.path { return [StorePaths(plist: path)] }
    guard let userDirectory, let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: name, in: userDirectory)]
  }

  private func ofHost(_ identifier: DomainIdentifier) -> [StorePaths] {
    guard let hostDirectory, let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: "\(name).\(host.text)", in: hostDirectory)]
  }

  private func everyone(_ identifier: DomainIdentifier, in directory: String) -> [StorePaths] {
    guard let name = identifier.fileName else { return [] }
    return [StorePaths(identifier: name, in: directory, for: .everyone)]
  }
}
