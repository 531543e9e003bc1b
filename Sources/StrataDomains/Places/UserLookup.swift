/// A user in the password database, who is looked up when somebody asks: that may take a while.
package enum UserLookup: Hashable, Sendable {
  case known(UserRecord?)
  /// The one whose rights the process has.
  case ofProcess

  package var record: UserRecord? {
    switch self {
    case .known(let record): record
    case .ofProcess: Self.recordOfProcess
    }
  }

  private static let recordOfProcess = UserRecord.withID(ThisProcess.userID)
}
