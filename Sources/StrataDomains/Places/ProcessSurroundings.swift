import StrataStorage

/// What of the world around a process decides where its domains are, taken once.
///
/// A later change of the environment moves nothing: a program's values stay where they were.
package struct ProcessSurroundings: Sendable {
  /// What a variable of the environment says.
  package var environment: @Sendable (String) -> String?
  /// The user whose rights the process has.
  package var userID: UInt32
  /// The same user in the password database.
  package var user: UserRecord? { userLookup.record }
  let userLookup: UserLookup
  /// Whether whoever made the environment has fewer rights than the process.
  package var isSetUID: Bool
  package var host: HostIdentifier
  package var executableName: String

  package init(
    environment: @escaping @Sendable (String) -> String?, userID: UInt32, user: UserLookup,
    isSetUID: Bool,
    host: HostIdentifier, executableName: String
  ) {
    self.environment = environment
    self.userID = userID
    userLookup = user
    self.isSetUID = isSetUID
    self.host = host
    self.executableName = executableName
  }

  /// Surroundings with this environment.
  package init(
    environment: [String: String], userID: UInt32, user: UserLookup, isSetUID: Bool,
    host: HostIdentifier, executableName: String
  ) {
    self.init(
      environment: { environment[$0] }, userID: userID, user: user, isSetUID: isSetUID, host: host,
      executableName: executableName)
  }

  /// Those of the running process.
  package static let current = ProcessSurroundings(
    environment: ThisProcess.environment, userID: ThisProcess.userID,
    user: .ofProcess, isSetUID: ThisProcess.isSetUID,
    host: HostIdentifier.read(), executableName: ThisProcess.executableName)

  /// The application's own domain, when its bundle says this.
  package func applicationIdentifier(bundleIdentifier: String?) -> ApplicationIdentifier {
    ApplicationIdentifier.decide(
      bundleIdentifier: bundleIdentifier, environment: environment(ApplicationIdentifier.variable),
      executableName: executableName, isSetUID: isSetUID)
  }

  /// An absolute path from the environment, unless its maker is not to be trusted with it.
  func directory(_ variable: String) -> String? {
    isSetUID ? nil : environment(variable).flatMap(AbsolutePath.tidied)
  }

  /// Where the user's configuration is; nothing when there is no home directory.
  var configurationDirectory: String? {
    if let directory = directory("XDG_CONFIG_HOME") { return directory }
    return home.map { Path.join($0, ".config") }
  }

  /// A `HOME` that is no absolute path, as an empty one, says that something is wrong: guessing
  /// another directory would hide the values.
  private var home: String? {
    if !isSetUID, let home = environment("HOME") { return AbsolutePath.tidied(home) }
    return user.flatMap { AbsolutePath.tidied($0.home) }
  }
}
