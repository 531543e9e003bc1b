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

/// A user who is looked up once, or again as long as that fails: after a while if it took long, as
/// where a server does not answer.
package final class KnownUser: Equatable, Sendable {
  private let id: UInt32
  private let find: @Sendable (UInt32) -> UserRecord.Lookup
  private let lock = Lock(.memory)
  // Safety: guarded by `lock`.
  nonisolated(unsafe) private var answer: UserRecord.Lookup?
  nonisolated(unsafe) private var askAt = Int64.max

  /// How many times as long as a lookup took that failed, no other one is made.
  private static let pause: Int64 = 16

  init(id: UInt32, _ find: @escaping @Sendable (UInt32) -> UserRecord.Lookup) {
    (self.id, self.find) = (id, find)
  }

  package static func == (left: KnownUser, right: KnownUser) -> Bool { left === right }

  var isFailing: Bool { if case .failed = lookup { true } else { false } }
  /// Nil if there is none, or if nobody can say.
  var record: UserRecord? { UserRecord.record(lookup, of: "\(id)") }

  private var lookup: UserRecord.Lookup {
    let start = strata_coarse_now()
    if let answer = lock.withLock({ start < askAt ? answer : nil }) { return answer }
    // Without the lock: the C library may ask a server.
    let new = find(id)
    let end = strata_coarse_now()
    return lock.withLock {
      if case .failed = new {
        if askAt == .max, let answer { return answer }  // another thread was luckier
        askAt = end + Self.pause * (end - start)
      } else {
        askAt = .max
      }
      answer = new
      return new
    }
  }
}
