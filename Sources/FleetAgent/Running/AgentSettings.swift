package import StrataDomains
package import StrataPropertyList

/// What an agent is told at its start.
package struct AgentSettings: Sendable {
  /// The host's name in the store.
  package var host: String
  package var os: String?
  package var version: String
  /// Where the state is kept; an absolute path.
  package var stateDirectory: String
  package var surroundings: ProcessSurroundings
  /// Where the agent's figures are kept, for a collector; nil if nobody wants them.
  package var metricsFile: String?
  /// The people who use this host, beside those in its record.
  package var users: @Sendable () -> [String]
  package var findUser: @Sendable (String) -> UserRecord?
  package var now: @Sendable () -> PropertyListDate
  /// Whether to believe a clock that is far ahead of the last time.
  package var trustsClock: Bool

  package init(
    host: String, os: String? = nil, version: String, stateDirectory: String,
    surroundings: ProcessSurroundings, metricsFile: String? = nil,
    users: @escaping @Sendable () -> [String] = { [] },
    findUser: @escaping @Sendable (String) -> UserRecord? = { UserRecord.named($0) },
    now: @escaping @Sendable () -> PropertyListDate, trustsClock: Bool = false
  ) {
    self.host = host
    self.os = os
    self.version = version
    self.stateDirectory = stateDirectory
    self.surroundings = surroundings
    self.metricsFile = metricsFile
    self.users = users
    self.findUser = findUser
    self.now = now
    self.trustsClock = trustsClock
  }
}
