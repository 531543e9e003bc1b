/// A user in the password database, looked up on demand because that may be slow.
package enum UserLookup: Equatable, Sendable {
  case known(UserRecord?)
  /// The user whose rights the process has.
  case ofProcess

  package var record: UserRecord? {
    switch self {
    case .known(let record): record
    case .ofProcess: Self.recordOfProcess
    }
  }

  private static let recordOfProcess = UserRecord.withID(ThisProcess.userID)
}
