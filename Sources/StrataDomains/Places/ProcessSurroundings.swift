import StrataStorage

/// What determines where a process's domains are, read once.
///
/// Later changes to the environment have no effect, so a program's values stay where they are.
package struct ProcessSurroundings: Sendable {
  /// The value of an environment variable.
  package var environment: @Sendable (String) -> String?
  /// The user whose rights the process has.
  package var userID: UInt32
  /// The same user's record in the password database.
  package var user: UserRecord? { userLookup.record }
  let userLookup: UserLookup
  /// Whether the process has more rights than the user who set its environment.
  package var isSetUID: Bool
  package var host: HostIdentifier {
    get { hostLookup.identifier }
    set { hostLookup = .known(newValue) }
  }
  private(set) var hostLookup: HostLookup
  package var executableName: String
  /// The path of the program; empty if it is not known.
  // Not optional: to copy that, the runtime would have to make its type.
  package let executable: String

  package init(
    environment: @escaping @Sendable (String) -> String?, userID: UInt32, user: UserLookup,
    isSetUID: Bool, host: HostLookup, executableName: String,
    executable: String = ""
  ) {
    self.environment = environment
    self.userID = userID
    userLookup = user
    self.isSetUID = isSetUID
    hostLookup = host
    self.executableName = executableName
    self.executable = executable
  }

  /// Surroundings with the given environment.
  package init(
    environment: [String: String], userID: UInt32, user: UserLookup, isSetUID: Bool,
    host: HostIdentifier, executableName: String
  ) {
    self.init(
      environment: { environment[$0] }, userID: userID, user: user, isSetUID: isSetUID,
      host: .known(host), executableName: executableName)
  }

  /// The surroundings of the running process, as they are now.
  package static var current: ProcessSurroundings {
    let executable = ThisProcess.executable
    return ProcessSurroundings(
      environment: ThisProcess.environment, userID: ThisProcess.userID,
      user: .ofProcess, isSetUID: ThisProcess.isSetUID,
      host: .ofProcess, executableName: ThisProcess.name(ofExecutable: executable),
      executable: executable)
  }

  /// The application's own domain, given its bundle identifier; each name that it can't have is
  /// `refused`.
  package func applicationIdentifier(
    bundleIdentifier: String?, refuse: (DomainIdentifierError) -> Void = { _ in }
  ) -> DomainIdentifier {
    ApplicationIdentifier.decide(
      bundleIdentifier: bundleIdentifier, environment: environment(ApplicationIdentifier.variable),
      executableName: executableName, isSetUID: isSetUID, refuse: refuse)
  }

  /// An absolute path from the environment; nil in a set-user-ID process, which must not trust it.
  func directory(_ variable: String) -> String? {
    isSetUID ? nil : environment(variable).flatMap(AbsolutePath.tidied)
  }

  /// The user's configuration directory; nil if there is no home directory.
  var configurationDirectory: String? {
    if let directory = directory("XDG_CONFIG_HOME") { return directory }
    return home.map { Path.join($0, ".config") }
  }

  /// The directories in which programs install data for others, the user's own first (XDG).
  package var dataDirectories: [String] {
    let listed = isSetUID ? nil : environment("XDG_DATA_DIRS").flatMap { $0.isEmpty ? nil : $0 }
    let others = (listed ?? "/usr/local/share:/usr/share").split(separator: ":")
      .compactMap { AbsolutePath.tidied(String($0)) }
    return (ownDataDirectory.map { [$0] } ?? []) + others
  }

  /// The user's own of these; nil without a home.
  package var ownDataDirectory: String? {
    directory("XDG_DATA_HOME") ?? home.map { Path.join($0, ".local/share") }
  }

  /// The directories in which programs are looked for.
  package var programDirectories: [String] {
    if isSetUID { return [] }
    return (environment("PATH") ?? "").split(separator: ":")
      .compactMap { AbsolutePath.tidied(String($0)) }
  }

  /// A `HOME` that is empty or not absolute is a mistake: falling back to another directory would
  /// hide the user's values.
  package var home: String? {
    if !isSetUID, let home = environment("HOME") { return AbsolutePath.tidied(home) }
    return user.flatMap { AbsolutePath.tidied($0.home) }
  }
}
