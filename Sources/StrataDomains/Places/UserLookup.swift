import StrataStorage

/// A user in the password database, looked up on demand because that may be slow.
package enum UserLookup: Equatable, Sendable {
  case known(UserRecord?)
  /// The user whose rights the process has.
  case ofProcess

  package var record: UserRecord? {
    switch self {
    case .known(let record): record
    case .ofProcess: Self.userOfProcess.record
    }
  }

  private static let userOfProcess = KnownUser(id: ThisProcess.userID, UserRecord.withID)
}

/// A user who is looked up once, or again as long as that fails.
final class KnownUser: Sendable {
  private let id: UInt32
  private let find: @Sendable (UInt32) -> UserRecord.Lookup
  private let lock = Lock(.memory)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var answer: UserRecord.Lookup?

  init(id: UInt32, _ find: @escaping @Sendable (UInt32) -> UserRecord.Lookup) {
    (self.id, self.find) = (id, find)
  }

  /// Nil if there is none, or if nobody can say.
  var record: UserRecord? {
    if let answer = lock.withLock({ answer }) { return UserRecord.record(answer, of: "\(id)") }
    // Without the lock: the C library may ask a server.
    let new = find(id)
    if case .failed = new {} else { lock.withLock { answer = new } }
    return UserRecord.record(new, of: "\(id)")
  }
}
