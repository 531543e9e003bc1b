import StrataPropertyList
import StrataTesting
import Testing

@testable import FaultTesting
@testable import StrataStorage

/// The journal after a checkpoint is destroyed, while not everybody follows it yet.
@Suite(.serialized) struct LostSuccessorCrashTests {
  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .removed])
  func `what was set during a checkpoint stays if its new journal is lost before it is read`(
    blow: JournalBlow
  ) throws {
    var (setCall, setCount, runs) = (1, 1, 0)
    while setCall <= setCount {
      var (blowCall, blowCount) = (1, 1)
      while blowCall <= blowCount {
        let counts = try Self.run(blow, set: setCall, blow: blowCall)
        (setCount, blowCount) = (max(setCount, counts.set), max(blowCount, counts.blow))
        (blowCall, runs) = (blowCall + 1, runs + 1)
      }
      setCall += 1
    }
    #expect(runs > 200)
  }

  /// The other one sets something before a call of the checkpoint, and misses its journal once that
  /// is over; the one that continues it is lost before a call of the recovery.
  private static func run(
    _ blow: JournalBlow, set setCall: Int, blow blowCall: Int
  ) throws -> (set: Int, blow: Int) {
    let users = try TwoUsers()
    let (user, other) = (users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    var (calls, looks, isActing) = (0, 0, false)
    _ = users.during {
      user.checkpoint()
    } step: {
      if isActing { return }
      calls += 1
      guard calls == setCall else { return }
      isActing = true
      defer { isActing = false }
      do { try other.set(.integer(2), forKey: "other") } catch { Issue.record("\(error)") }
    }
    if calls < setCall { try other.set(.integer(2), forKey: "other") }
    try users.during {
      try other.lock.withLock { try other.recover(from: #require(other.journal), "it was removed") }
    } step: {
      looks += 1
      if looks == blowCall { users.strike(blow) }
    }
    let place: Comment = "set before call \(setCall), blow before call \(blowCall)"
    try #require(other.integer(forKey: "other") == 2, place)
    Self.look(user, other)
    try users.expect(["user": .integer(2), "other": .integer(2)], [user, other], place)
    return (calls, looks)
  }

  /// What only one of them knows is seen by the others once that one has looked.
  private static func look(_ stores: Store...) {
    for store in stores {
      store.table.checkAt = 0  // as if it had not looked for a while
      _ = store.snapshot()
    }
  }

  // S-3, S-6, S-9
  @Test(arguments: [JournalBlow.zeroed, .removed], [false, true])
  func `who finds all it knew in the file leaves others the time to bring what they know`(
    blow: JournalBlow, readsFirst: Bool
  ) throws {
    let users = try TwoUsers()
    let (user, other) = (users.user, users.other)
    try #require(other.integer(forKey: "user") == 2)
    try #require(user.flush())
    // Only who has flushed follows the new journal.
    try user.set(.integer(3), forKey: "user")
    users.strike(blow)
    other.table.checkAt = 0  // as if it had not looked for a while
    if readsFirst { #expect(other.integer(forKey: "user") == 2) }
    try other.set(.integer(2), forKey: "other")
    _ = other.checkpoint()
    Self.look(user)
    let all: [String: PropertyListValue] = ["user": .integer(3), "other": .integer(2)]
    try users.expect(all, [user, other], "\(blow)")
  }

  // S-3, S-6
  @Test func `a destroyed journal is continued by a later one of its lineage`() throws {
    let users = try TwoUsers()
    let old = try #require(users.user.journal)
    let file = try #require(users.machine.names[CrashScript.paths.journal])
    try #require(users.user.flush())
    let new = try #require(users.user.journal)
    #expect(old.isContinued(by: new) && !new.isContinued(by: old))
    file.setContents([UInt8](repeating: 0, count: file.size))
    #expect(!old.isSucceeded)
    #expect(old.isContinued(by: new))
  }
}
