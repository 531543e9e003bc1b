import CStrata
import StrataStorage

/// A user in the password database, looked up on demand because that may be slow.
package enum UserLookup: Equatable, Sendable {
  case known(UserRecord?)
  /// One who has to be looked up.
  case asked(KnownUser)
  /// The user whose rights the process has.
  case ofProcess

  package var record: UserRecord? {
    switch self {
    case .known(let record): record
    case .asked(let user): user.record
    case .ofProcess: Self.userOfProcess.record
    }
  }

  /// Whether nobody can say at the moment who that is.
  var isFailing: Bool {
    switch self {
    case .known: false
    case .asked(let user): user.isFailing
    case .ofProcess: Self.userOfProcess.isFailing
    }
  }

  private static let userOfProcess = KnownUser(id: ThisProcess.userID, UserRecord.withID)
}

/// A user who is looked up once, or again as long as that fails.
package final class KnownUser: Equatable, Sendable {
  private let id: UInt32
  private let find: @Sendable (UInt32) -> UserRecord.Lookup
  private let lock = Lock(.memory)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var answer: UserRecord.Lookup?
  nonisolated(unsafe) private var pause = LookupPause()
  nonisolated(unsafe) private var hasComplained = false

  init(id: UInt32, _ find: @escaping @Sendable (UInt32) -> UserRecord.Lookup) {
    (self.id, self.find) = (id, find)
  }

  package static func == (left: KnownUser, right: KnownUser) -> Bool { left === right }

  var isFailing: Bool { if case .failed = lookup { true } else { false } }
  /// Nil if there is none, or if nobody can say.
  var record: UserRecord? { if case .found(let record) = lookup { record } else { nil } }

  private var lookup: UserRecord.Lookup {
    let start = strata_coarse_now()
    if let answer = lock.withLock({ pause.isOver(at: start) ? found : answer }) { return answer }
    // Without the lock: the C library may ask a server.
    let new = find(id)
    let end = strata_coarse_now()
    return lock.withLock {
      if let found { return found }  // by another thread
      answer = new
      guard case .failed = new else { return new }
      pause.begin(afterFailureFrom: start, to: end)
      if !hasComplained { _ = UserRecord.record(new, of: "\(id)") }
      hasComplained = true
      return new
    }
  }

  /// The answer, unless that is a failure. The lock must be held.
  private var found: UserRecord.Lookup? { if case .failed = answer { nil } else { answer } }
}
